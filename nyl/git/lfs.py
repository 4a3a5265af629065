"""Git LFS pointers: small files that stand in Git for larger ones kept elsewhere."""

_VERSION = b"version https://git-lfs.github.com/spec/"


def is_pointer(content: bytes) -> bool:
    """Whether the content of a file, or its beginning, is that of a pointer."""
    return content.startswith(_VERSION)
