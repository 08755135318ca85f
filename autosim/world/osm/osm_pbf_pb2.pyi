from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class BlobHeader(_message.Message):
    __slots__ = ("type", "datasize")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    DATASIZE_FIELD_NUMBER: _ClassVar[int]
    type: str
    datasize: int
    def __init__(self, type: _Optional[str] = ..., datasize: _Optional[int] = ...) -> None: ...

class Blob(_message.Message):
    __slots__ = ("raw", "raw_size", "zlib_data")
    RAW_FIELD_NUMBER: _ClassVar[int]
    RAW_SIZE_FIELD_NUMBER: _ClassVar[int]
    ZLIB_DATA_FIELD_NUMBER: _ClassVar[int]
    raw: bytes
    raw_size: int
    zlib_data: bytes
    def __init__(self, raw: _Optional[bytes] = ..., raw_size: _Optional[int] = ..., zlib_data: _Optional[bytes] = ...) -> None: ...

class HeaderBlock(_message.Message):
    __slots__ = ("bbox", "required_features")
    BBOX_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_FEATURES_FIELD_NUMBER: _ClassVar[int]
    bbox: HeaderBBox
    required_features: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, bbox: _Optional[_Union[HeaderBBox, _Mapping]] = ..., required_features: _Optional[_Iterable[str]] = ...) -> None: ...

class HeaderBBox(_message.Message):
    __slots__ = ("left", "right", "top", "bottom")
    LEFT_FIELD_NUMBER: _ClassVar[int]
    RIGHT_FIELD_NUMBER: _ClassVar[int]
    TOP_FIELD_NUMBER: _ClassVar[int]
    BOTTOM_FIELD_NUMBER: _ClassVar[int]
    left: int
    right: int
    top: int
    bottom: int
    def __init__(self, left: _Optional[int] = ..., right: _Optional[int] = ..., top: _Optional[int] = ..., bottom: _Optional[int] = ...) -> None: ...

class PrimitiveBlock(_message.Message):
    __slots__ = ("stringtable", "primitivegroup", "granularity", "lat_offset", "lon_offset")
    STRINGTABLE_FIELD_NUMBER: _ClassVar[int]
    PRIMITIVEGROUP_FIELD_NUMBER: _ClassVar[int]
    GRANULARITY_FIELD_NUMBER: _ClassVar[int]
    LAT_OFFSET_FIELD_NUMBER: _ClassVar[int]
    LON_OFFSET_FIELD_NUMBER: _ClassVar[int]
    stringtable: StringTable
    primitivegroup: _containers.RepeatedCompositeFieldContainer[PrimitiveGroup]
    granularity: int
    lat_offset: int
    lon_offset: int
    def __init__(self, stringtable: _Optional[_Union[StringTable, _Mapping]] = ..., primitivegroup: _Optional[_Iterable[_Union[PrimitiveGroup, _Mapping]]] = ..., granularity: _Optional[int] = ..., lat_offset: _Optional[int] = ..., lon_offset: _Optional[int] = ...) -> None: ...

class StringTable(_message.Message):
    __slots__ = ("s",)
    S_FIELD_NUMBER: _ClassVar[int]
    s: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, s: _Optional[_Iterable[bytes]] = ...) -> None: ...

class PrimitiveGroup(_message.Message):
    __slots__ = ("nodes", "dense", "ways", "relations")
    NODES_FIELD_NUMBER: _ClassVar[int]
    DENSE_FIELD_NUMBER: _ClassVar[int]
    WAYS_FIELD_NUMBER: _ClassVar[int]
    RELATIONS_FIELD_NUMBER: _ClassVar[int]
    nodes: _containers.RepeatedCompositeFieldContainer[Node]
    dense: DenseNodes
    ways: _containers.RepeatedCompositeFieldContainer[Way]
    relations: _containers.RepeatedCompositeFieldContainer[Relation]
    def __init__(self, nodes: _Optional[_Iterable[_Union[Node, _Mapping]]] = ..., dense: _Optional[_Union[DenseNodes, _Mapping]] = ..., ways: _Optional[_Iterable[_Union[Way, _Mapping]]] = ..., relations: _Optional[_Iterable[_Union[Relation, _Mapping]]] = ...) -> None: ...

class Node(_message.Message):
    __slots__ = ("id", "keys", "vals", "lat", "lon")
    ID_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    VALS_FIELD_NUMBER: _ClassVar[int]
    LAT_FIELD_NUMBER: _ClassVar[int]
    LON_FIELD_NUMBER: _ClassVar[int]
    id: int
    keys: _containers.RepeatedScalarFieldContainer[int]
    vals: _containers.RepeatedScalarFieldContainer[int]
    lat: int
    lon: int
    def __init__(self, id: _Optional[int] = ..., keys: _Optional[_Iterable[int]] = ..., vals: _Optional[_Iterable[int]] = ..., lat: _Optional[int] = ..., lon: _Optional[int] = ...) -> None: ...

class DenseNodes(_message.Message):
    __slots__ = ("id", "lat", "lon", "keys_vals")
    ID_FIELD_NUMBER: _ClassVar[int]
    LAT_FIELD_NUMBER: _ClassVar[int]
    LON_FIELD_NUMBER: _ClassVar[int]
    KEYS_VALS_FIELD_NUMBER: _ClassVar[int]
    id: _containers.RepeatedScalarFieldContainer[int]
    lat: _containers.RepeatedScalarFieldContainer[int]
    lon: _containers.RepeatedScalarFieldContainer[int]
    keys_vals: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, id: _Optional[_Iterable[int]] = ..., lat: _Optional[_Iterable[int]] = ..., lon: _Optional[_Iterable[int]] = ..., keys_vals: _Optional[_Iterable[int]] = ...) -> None: ...

class Way(_message.Message):
    __slots__ = ("id", "keys", "vals", "refs")
    ID_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    VALS_FIELD_NUMBER: _ClassVar[int]
    REFS_FIELD_NUMBER: _ClassVar[int]
    id: int
    keys: _containers.RepeatedScalarFieldContainer[int]
    vals: _containers.RepeatedScalarFieldContainer[int]
    refs: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, id: _Optional[int] = ..., keys: _Optional[_Iterable[int]] = ..., vals: _Optional[_Iterable[int]] = ..., refs: _Optional[_Iterable[int]] = ...) -> None: ...

class Relation(_message.Message):
    __slots__ = ("id", "keys", "vals", "roles_sid", "memids", "types")
    class MemberType(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        NODE: _ClassVar[Relation.MemberType]
        WAY: _ClassVar[Relation.MemberType]
        RELATION: _ClassVar[Relation.MemberType]
    NODE: Relation.MemberType
    WAY: Relation.MemberType
    RELATION: Relation.MemberType
    ID_FIELD_NUMBER: _ClassVar[int]
    KEYS_FIELD_NUMBER: _ClassVar[int]
    VALS_FIELD_NUMBER: _ClassVar[int]
    ROLES_SID_FIELD_NUMBER: _ClassVar[int]
    MEMIDS_FIELD_NUMBER: _ClassVar[int]
    TYPES_FIELD_NUMBER: _ClassVar[int]
    id: int
    keys: _containers.RepeatedScalarFieldContainer[int]
    vals: _containers.RepeatedScalarFieldContainer[int]
    roles_sid: _containers.RepeatedScalarFieldContainer[int]
    memids: _containers.RepeatedScalarFieldContainer[int]
    types: _containers.RepeatedScalarFieldContainer[Relation.MemberType]
    def __init__(self, id: _Optional[int] = ..., keys: _Optional[_Iterable[int]] = ..., vals: _Optional[_Iterable[int]] = ..., roles_sid: _Optional[_Iterable[int]] = ..., memids: _Optional[_Iterable[int]] = ..., types: _Optional[_Iterable[_Union[Relation.MemberType, str]]] = ...) -> None: ...
