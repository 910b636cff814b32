* It writes block 1, halts that with nobody reading it, and writes block 2; labels at the end
* are those that guest.asm has too.
start    L     10,first
         L     1,sid(10)
         STSCH schib
         OI    schib+5,X'80'
         MSCH  schib
         LA    9,c_nop(10)
         ST    9,orb+8
         SSCH  orb
p1       TSCH  irb
         BNZ   p1
         L     9,delay
s1       BCT   9,s1
         L     5,wbuffer(10)
         LA    2,1
         ST    2,0(5)
         A     5,last
         ST    2,0(5)
         LA    9,c_write(10)
         ST    9,orb+8
         SSCH  orb
         L     9,delay
s2       BCT   9,s2
         HSCH  0
         L     9,delay
s4       BCT   9,s4
p2       TSCH  irb
         BNZ   p2
         L     5,wbuffer(10)
         LA    2,2
         ST    2,0(5)
         A     5,last
         ST    2,0(5)
p3       SSCH  orb
         BNZ   p4
p5       TSCH  irb
         BNZ   p5
         LPSW  endpsw
p4       TSCH  irb
         B     p3
sweep    LPSW  endpsw
tired    LPSW  badpsw
io       LPSW  badpsw
