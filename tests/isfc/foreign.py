"""What z/OS shows of CTCs of its own, in the form that IBM publishes; the figures are made."""

from typing import Final

XCF: Final = """\
D XCF,PI,DEV=ALL
IXC356I  12.02.11  DISPLAY XCF 901
LOCAL DEVICE REMOTE  PATHIN  REMOTE               LAST      MXFER
PATHIN       SYSTEM  STATUS  PATHOUT RETRY MAXMSG RECVD     TIME
4010         SYSB    WORKING 5010    10    2000   3496      339
4011         SYSC    WORKING 5011    10    2000   3640      1260
4012         ???????? LINKING ????   10    2000   -----     -----

LOCAL  REMOTE  REMOTE  PATHIN DELIVRY BUFFER MSGBUF SIGNL
PATHIN PATHOUT SYSTEM  STATUS PENDING LENGTH IN USE NUMBR   NOBUF
4010   5010    SYSB    WORKING 0      16316  32     3496    0
4011   5011    SYSC    WORKING 0      16316  48     3640    2
4012   ????    ???????? LINKING 0     0      0      0       0

STRNAME      REMOTE  PATHIN  UNUSED               LAST      MXFER
PATHIN       SYSTEM  STATUS  PATHS   RETRY MAXMSG RECVD     TIME
IXCSIG1              WORKING 2       10    2000
IXC356I  12.02.31  DISPLAY XCF 907
LOCAL DEVICE REMOTE  PATHOUT REMOTE               TRANSPORT
PATHOUT      SYSTEM  STATUS  PATHIN  RETRY MAXMSG CLASS
4020         SYSB    WORKING 5020    10    2000   DEFAULT
4021         SYSC    WORKING 5021    10    2000   DEFAULT

LOCAL   REMOTE  REMOTE  PATHOUT TRANSFER BUFFER MSGBUF SIGNL  MXFER
PATHOUT PATHIN  SYSTEM  STATUS  PENDING  LENGTH IN USE NUMBR  TIME
4020    5020    SYSB    WORKING 0        16316  64     77921  412
4021    5021    SYSC    WORKING 1        16316  64     10443  2377
"""

TNSTAT: Final = """\
F NET,TNSTAT,CNSL,TIME=15
IST097I  MODIFY ACCEPTED
IST1230I TIME     = 10000012 DATE     = 26334    ID  = MPCAB
IST1231I IPDU     = 11822    OPDU     = 12044
IST1569I INLP     = 0        ONLP     = 0
IST1232I TSWEEP   = 210      QSWEEP   = 1877
IST924I  ----------------------------------------------------------
IST1233I DEV      = 0C50     DIR      = READ
IST1234I BSIZE    = 16384    MAXBYTES = 15812
IST1235I SIO      = 9911     SLOWDOWN = 0
IST1236I BYTECNTO = 0        BYTECNT  = 31715200
IST1570I NBYTECTO = 0        NBYTECT  = 0
IST924I  ----------------------------------------------------------
IST1233I DEV      = 0C51     DIR      = WRITE
IST1234I BSIZE    = 16384    MAXBYTES = 15990
IST1235I SIO      = 9000     SLOWDOWN = 0
IST1236I BYTECNTO = 0        BYTECNT  = 36864000
IST1570I NBYTECTO = 0        NBYTECT  = 0
IST314I  END
"""
LATER: Final = (
    TNSTAT.partition("ACCEPTED\n")[2]
    .replace("10000012", "10150012")
    .replace("9911 ", "18000")
    .replace("31715200", "73728000")
)

_NODES: Final = [
    *(("a", port, "2C3A7", "c2:c3:a7 0x10 0x200110 003931 A01") for port in range(4)),
    *(("b", port, "169CA", "c1:69:ca 0x10 0x200110 003906 M01") for port in range(4)),
    ("c", 0, "FAW80", "d0:00:80 0x00 0x200a00 002107 981"),
    ("c", 1, "FAW81", "d0:00:81 0x20 0x200a00 002107 981"),
]
_BEGIN: Final = """\
director:admin> ficonshow rnid table
{
  Fmt Type PID Registered Port WWN Registered Node WWN Flag Parm Type Mdl MFG Plant Sequence# Tag
"""
"""The columns are as brcddb reads them; of their headings Sequence# alone is known from there."""
RNID: Final = (
    _BEGIN
    + "".join(
        f"  0x18 N 03{area}{port}00 50:05:07:64:01:40:0f:{area}{port} 50:05:07:64:00:{node} "
        f"IBM 02 {number:0>12} 802{port}\n"
        for area, port, number, node in _NODES
    )
    + "}\n"
)
