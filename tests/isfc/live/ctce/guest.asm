* A bare ESA/390 guest for one CTC or several: over each it writes WTARGET blocks with ascending
* numbers, and reads its mate's up to RTARGET. A block has its number in its first and in its last
* word. A disabled wait when all is done says 0E0D if every block was right, and 0BAD if not.
* With a PATIENCE it has a protocol as XCF and NJE have: a block's second word is the number of the
* last one that its writer has read, so that its reader writes again what was lost, and what comes
* twice is not taken. It ends when its mate is silent for so many rests, and 0ACE says that it did.
* Code and common data are below 4096, and need no base; register 10 is the base of a CTC's data.
start    LCTL  0,0,cr0
         LCTL  6,6,cr6
         SPT   pause
         L     10,first
enable   L     1,sid(10)
         STSCH schib
         ST    10,schib          the interruption parameter
         OI    schib+5,X'80'
         MSCH  schib
         A     10,size
         C     10,end
         BL    enable
* Look at each CTC: start what is to be done. 7 says that any is not done, 6 that one only listens.
sweep    SR    6,6
         SR    7,7
         L     10,first
each     L     2,op(10)
         LTR   2,2
         BNZ   going
         L     2,attn(10)
         LTR   2,2
         BNZ   ask               see first what the mate has outstanding
         L     2,phase(10)
         LTR   2,2
         BZ    nop               the first I/O makes Hercules connect
         L     2,written(10)
         C     2,wtarget
         BL    dowrite
         L     2,owes(10)
         LTR   2,2
         BNZ   doack
         L     2,acked(10)
         C     2,wtarget
         BL    listens
         L     2,read(10)
         C     2,rtarget
         BL    listens
next     A     10,size
         C     10,end
         BL    each
         LTR   6,6
         BNZ   resting
         LTR   7,7
         BNZ   waiting
         L     2,rests
         C     2,patience
         BL    resting
         L     2,errors
         LTR   2,2
         BNZ   failed
         L     2,again
         LTR   2,2
         BNZ   repeated
         LPSW  endpsw
failed   LPSW  badpsw
repeated LPSW  acepsw
listens  LA    6,1
going    LA    7,1
         B     next
waiting  LPSW  waitpsw
* Rest until an interrupt; that of the timer asks for attentions that were lost, and after some time
* for what the mate has read, by saying that.
resting  LPSW  restpsw
tired    SPT   pause
         LA    2,1
         A     2,rests
         ST    2,rests
         LA    2,1
         A     2,silence
         ST    2,silence
         LA    2,1
         L     10,first
wake     ST    2,attn(10)
         L     3,silence
         C     3,silences
         BL    awake             that of a guest without patience never ends
         SR    3,3
         ST    3,silence
         L     3,acked(10)
         C     3,wtarget
         BL    owe
         L     3,read(10)
         C     3,rtarget
         BNE   owe
awake    A     10,size
         C     10,end
         BL    wake
         B     sweep
owe      ST    2,owes(10)
         B     awake
nop      LA    2,4
         LA    9,c_nop(10)
         B     go
ask      LA    2,5
         LA    9,c_scb(10)
         B     go
doread   LA    2,2
         LA    9,c_read(10)
         B     go
sense    LA    2,3
         LA    9,c_sense(10)
         B     go
doack    SR    2,2               a block of number 0
         B     block
dowrite  LA    2,1
         A     2,written(10)
block    L     5,wbuffer(10)
         ST    2,0(5)
         L     3,read(10)
         ST    3,4(5)
         A     5,last
         ST    2,0(5)
         LA    2,1
         LA    9,c_write(10)
go       ST    2,op(10)
         ST    9,orb+8
         ST    10,orb
         L     1,sid(10)
         SSCH  orb
         BZ    sweep
         B     test              its status says why not
io       L     1,184             every I/O interrupt comes here
         L     10,188
test     TSCH  irb
         BNZ   sweep
         TM    irb+8,X'80'
         BZ    quiet
         LA    2,1
         ST    2,attn(10)
quiet    L     2,op(10)
         LTR   2,2
         BZ    sweep
         TM    irb+8,X'02'
         BNZ   sense
         TM    irb+8,X'10'
         BNZ   collide
         TM    irb+8,X'04'
         BZ    partial
         C     2,one
         BE    wrote
         C     2,two
         BE    haveread
         C     2,three
         BE    sensed
         C     2,five
         BE    asked
         LA    2,1
         ST    2,phase(10)
done     SR    2,2
         ST    2,op(10)
         B     sweep
partial  TM    irb+8,X'08'       channel end alone: device end is to come
         BNZ   sweep
         C     2,one             an attention instead of the start
         BE    done
         C     2,two
         BE    doread
         C     2,three
         BE    sense
         C     2,five
         BE    ask
         B     nop
asked    SR    2,2
         ST    2,attn(10)
         CLI   command(10),X'01'
         BE    doread
         B     done
wrote    L     5,wbuffer(10)
         SR    3,3
         ST    3,owes(10)
         L     2,0(5)
         LTR   2,2
         BZ    done
         ST    2,written(10)
         L     3,patience
         LTR   3,3
         BNZ   done
         ST    2,acked(10)       nobody will say so
         B     done
haveread SR    3,3
         ST    3,rests
         ST    3,silence
         L     5,rbuffer(10)
         L     2,0(5)
         L     4,4(5)
         A     5,last
         C     2,0(5)
         BNE   wrong
         L     3,patience
         LTR   3,3
         BZ    number
         ST    4,acked(10)
         C     4,written(10)
         BE    number
         ST    4,written(10)
         LA    3,1
         A     3,again
         ST    3,again
number   LTR   2,2
         BZ    done
         LA    3,1
         A     3,read(10)
         L     5,rbuffer(10)
         C     3,0(5)
         BE    taken
         L     3,patience
         LTR   3,3
         BZ    wrong
         LA    3,1
         ST    3,owes(10)
         A     3,again
         ST    3,again
         B     done
taken    ST    3,read(10)
         C     3,rtarget
         BL    done
         L     3,patience
         ST    3,owes(10)
         B     done
wrong    LA    2,1
         A     2,errors
         ST    2,errors
         L     5,rbuffer(10)
         L     2,0(5)
         ST    2,read(10)
         B     done
collide  LA    2,1
         ST    2,attn(10)
         B     done
sensed   L     9,delay
spin     BCT   9,spin
         B     done
