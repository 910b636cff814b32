* A bare ESA/390 guest for one CTC: it writes WTARGET blocks with ascending numbers, and reads
* RTARGET blocks of its mate's. All addresses are below 4096, so that no base register is needed.
* A block has its number in its first and in its last word. A disabled wait when all is done says
* 0E0D if every block was right, and 0BAD if not.
start    LCTL  6,6,cr6
         L     1,sid
         STSCH schib
         OI    schib+5,X'80'
         MSCH  schib
nop      LA    2,4               the first I/O makes Hercules connect
         ST    2,op
         LA    9,c_nop
         B     go
main     L     2,attn
         LTR   2,2
         BNZ   ask               see first what the mate has outstanding
         L     2,written
         C     2,wtarget
         BL    dowrite
         L     2,read
         C     2,rtarget
         BL    idle
         LA    2,2
         ST    2,phase
         L     2,errors
         LTR   2,2
         BNZ   failed
         LPSW  endpsw
failed   LPSW  badpsw
* Nothing to do: rest until an interrupt, and ask now and then for an attention that was lost.
idle     SR    2,2
         ST    2,op
         L     8,pause
         LPSW  restpsw
rest     BCT   8,rest
         LPSW  maskpsw
ask      LA    2,5
         ST    2,op
         LA    9,c_scb
         B     go
asked    SR    2,2
         ST    2,op
         ST    2,attn
         CLI   command,X'01'
         BE    doread
         B     main
wait     LPSW  waitpsw
doread   LA    2,2
         ST    2,op
         LA    9,c_read
         B     go
dowrite  LA    2,1
         ST    2,op
         L     2,written
         LA    2,1(2)
         L     5,wbuffer
         ST    2,0(5)
         A     5,last
         ST    2,0(5)
         LA    9,c_write
go       ST    9,orb+8
         L     1,sid
         SSCH  orb
         BZ    wait
         LA    2,1
         A     2,busy
         ST    2,busy
io       L     1,sid             every I/O interrupt comes here
         TSCH  irb
         BZ    have
         L     2,op
         LTR   2,2
         BNZ   wait
         B     main
have     SR    3,3
         IC    3,irb+8           count the unit status
         SLL   3,2
         A     3,statuses
         L     4,0(3)
         LA    4,1(4)
         ST    4,0(3)
         TM    irb+8,X'80'
         BZ    quiet
         LA    2,1
         ST    2,attn
quiet    L     2,op
         LTR   2,2
         BZ    main
         TM    irb+8,X'02'
         BNZ   checked
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
         ST    2,phase
         SR    2,2
         ST    2,op
         B     main
partial  TM    irb+8,X'08'       channel end alone: device end is to come
         BNZ   wait
         C     2,one             an attention instead of the start
         BE    main
         C     2,two
         BE    doread
         C     2,three
         BE    sense
         C     2,five
         BE    ask
         B     nop
wrote    LA    2,1
         A     2,written
         ST    2,written
         SR    2,2
         ST    2,op
         B     main
haveread SR    2,2
         ST    2,op
         LA    2,1
         A     2,read
         ST    2,read
         L     5,rbuffer
         C     2,0(5)
         BNE   wrong
         A     5,last
         C     2,0(5)
         BE    main
wrong    LA    4,1
         A     4,errors
         ST    4,errors
         L     5,rbuffer
         L     2,0(5)
         ST    2,read
         B     main
collide  LA    2,1
         A     2,collided
         ST    2,collided
         LA    2,1
         ST    2,attn
         SR    2,2
         ST    2,op
         B     main
checked  LA    2,1
         A     2,checks
         ST    2,checks
sense    LA    2,3
         ST    2,op
         LA    9,c_sense
         B     go
sensed   SR    2,2
         ST    2,op
         L     8,delay
spin     BCT   8,spin
         L     2,phase
         LTR   2,2
         BZ    nop
         B     main
