"""Service times of storage."""

from isfc.io.demand import DS8950


def test_what_fits_the_first_4k_streams_in_no_time_of_its_own() -> None:
    assert DS8950.stream_ns(512, is_read=True) == DS8950.stream_ns(4096, is_read=False) == 0


def test_writes_stream_slower_than_reads() -> None:
    assert DS8950.stream_ns(131_072, is_read=False) > DS8950.stream_ns(131_072, is_read=True) > 0
