* take a CTC out of the link, look at the other end, and put it back
at 1.5s deact islink 6003
at 1.6s BOSTON: q chpid 50
at 2s act islink 6003
