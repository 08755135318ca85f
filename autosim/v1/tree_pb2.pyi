from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Tree(_message.Message):
    __slots__ = ("digest", "size", "root", "robots", "objects", "kinds", "plugins")
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    ROOT_FIELD_NUMBER: _ClassVar[int]
    ROBOTS_FIELD_NUMBER: _ClassVar[int]
    OBJECTS_FIELD_NUMBER: _ClassVar[int]
    KINDS_FIELD_NUMBER: _ClassVar[int]
    PLUGINS_FIELD_NUMBER: _ClassVar[int]
    digest: str
    size: int
    root: Node
    robots: _containers.RepeatedCompositeFieldContainer[NodeRecord]
    objects: _containers.RepeatedCompositeFieldContainer[NodeRecord]
    kinds: _containers.RepeatedCompositeFieldContainer[Kind]
    plugins: _containers.RepeatedCompositeFieldContainer[Plugin]
    def __init__(self, digest: _Optional[str] = ..., size: _Optional[int] = ..., root: _Optional[_Union[Node, _Mapping]] = ..., robots: _Optional[_Iterable[_Union[NodeRecord, _Mapping]]] = ..., objects: _Optional[_Iterable[_Union[NodeRecord, _Mapping]]] = ..., kinds: _Optional[_Iterable[_Union[Kind, _Mapping]]] = ..., plugins: _Optional[_Iterable[_Union[Plugin, _Mapping]]] = ...) -> None: ...

class Node(_message.Message):
    __slots__ = ("name", "kind", "offset", "size", "fields", "children", "access")
    class Access(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        READ: _ClassVar[Node.Access]
        SET: _ClassVar[Node.Access]
        DRIVE: _ClassVar[Node.Access]
    READ: Node.Access
    SET: Node.Access
    DRIVE: Node.Access
    NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    ACCESS_FIELD_NUMBER: _ClassVar[int]
    name: str
    kind: str
    offset: int
    size: int
    fields: _containers.RepeatedCompositeFieldContainer[Field]
    children: _containers.RepeatedCompositeFieldContainer[Node]
    access: Node.Access
    def __init__(self, name: _Optional[str] = ..., kind: _Optional[str] = ..., offset: _Optional[int] = ..., size: _Optional[int] = ..., fields: _Optional[_Iterable[_Union[Field, _Mapping]]] = ..., children: _Optional[_Iterable[_Union[Node, _Mapping]]] = ..., access: _Optional[_Union[Node.Access, str]] = ...) -> None: ...

class Field(_message.Message):
    __slots__ = ("name", "type", "unit", "offset", "size", "shape", "columns", "limits", "may_lack")
    class Type(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        NO_TYPE: _ClassVar[Field.Type]
        FLOAT64: _ClassVar[Field.Type]
        INT64: _ClassVar[Field.Type]
        TEXT: _ClassVar[Field.Type]
    NO_TYPE: Field.Type
    FLOAT64: Field.Type
    INT64: Field.Type
    TEXT: Field.Type
    NAME_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    SHAPE_FIELD_NUMBER: _ClassVar[int]
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    LIMITS_FIELD_NUMBER: _ClassVar[int]
    MAY_LACK_FIELD_NUMBER: _ClassVar[int]
    name: str
    type: Field.Type
    unit: str
    offset: int
    size: int
    shape: _containers.RepeatedScalarFieldContainer[int]
    columns: _containers.RepeatedCompositeFieldContainer[Column]
    limits: Limits
    may_lack: bool
    def __init__(self, name: _Optional[str] = ..., type: _Optional[_Union[Field.Type, str]] = ..., unit: _Optional[str] = ..., offset: _Optional[int] = ..., size: _Optional[int] = ..., shape: _Optional[_Iterable[int]] = ..., columns: _Optional[_Iterable[_Union[Column, _Mapping]]] = ..., limits: _Optional[_Union[Limits, _Mapping]] = ..., may_lack: _Optional[bool] = ...) -> None: ...

class Limits(_message.Message):
    __slots__ = ("low", "high")
    LOW_FIELD_NUMBER: _ClassVar[int]
    HIGH_FIELD_NUMBER: _ClassVar[int]
    low: float
    high: float
    def __init__(self, low: _Optional[float] = ..., high: _Optional[float] = ...) -> None: ...

class Column(_message.Message):
    __slots__ = ("name", "unit")
    NAME_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    name: str
    unit: str
    def __init__(self, name: _Optional[str] = ..., unit: _Optional[str] = ...) -> None: ...

class NodeRecord(_message.Message):
    __slots__ = ("nodes", "record")
    NODES_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    nodes: _containers.RepeatedScalarFieldContainer[str]
    record: Record
    def __init__(self, nodes: _Optional[_Iterable[str]] = ..., record: _Optional[_Union[Record, _Mapping]] = ...) -> None: ...

class Kind(_message.Message):
    __slots__ = ("name", "element", "names", "fields")
    class NamesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NAME_FIELD_NUMBER: _ClassVar[int]
    ELEMENT_FIELD_NUMBER: _ClassVar[int]
    NAMES_FIELD_NUMBER: _ClassVar[int]
    FIELDS_FIELD_NUMBER: _ClassVar[int]
    name: str
    element: Element
    names: _containers.ScalarMap[str, str]
    fields: _containers.RepeatedCompositeFieldContainer[Meaning]
    def __init__(self, name: _Optional[str] = ..., element: _Optional[_Union[Element, _Mapping]] = ..., names: _Optional[_Mapping[str, str]] = ..., fields: _Optional[_Iterable[_Union[Meaning, _Mapping]]] = ...) -> None: ...

class Meaning(_message.Message):
    __slots__ = ("field", "text")
    FIELD_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    field: str
    text: str
    def __init__(self, field: _Optional[str] = ..., text: _Optional[str] = ...) -> None: ...

class Plugin(_message.Message):
    __slots__ = ("name", "version")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: str
    def __init__(self, name: _Optional[str] = ..., version: _Optional[str] = ...) -> None: ...

class Element(_message.Message):
    __slots__ = ("name", "description", "attributes", "children", "occurs", "is_direction")
    class Occurs(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        ONCE: _ClassVar[Element.Occurs]
        OPTIONAL: _ClassVar[Element.Occurs]
        ANY: _ClassVar[Element.Occurs]
        SOME: _ClassVar[Element.Occurs]
    ONCE: Element.Occurs
    OPTIONAL: Element.Occurs
    ANY: Element.Occurs
    SOME: Element.Occurs
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    ATTRIBUTES_FIELD_NUMBER: _ClassVar[int]
    CHILDREN_FIELD_NUMBER: _ClassVar[int]
    OCCURS_FIELD_NUMBER: _ClassVar[int]
    IS_DIRECTION_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    attributes: _containers.RepeatedCompositeFieldContainer[Attribute]
    children: _containers.RepeatedCompositeFieldContainer[Element]
    occurs: Element.Occurs
    is_direction: bool
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., attributes: _Optional[_Iterable[_Union[Attribute, _Mapping]]] = ..., children: _Optional[_Iterable[_Union[Element, _Mapping]]] = ..., occurs: _Optional[_Union[Element.Occurs, str]] = ..., is_direction: _Optional[bool] = ...) -> None: ...

class Attribute(_message.Message):
    __slots__ = ("name", "description", "type", "unit", "default", "required", "interval", "low_open", "may_be_zero", "allowed")
    class Type(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        REAL: _ClassVar[Attribute.Type]
        INTEGER: _ClassVar[Attribute.Type]
        BOOLEAN: _ClassVar[Attribute.Type]
        TEXT: _ClassVar[Attribute.Type]
        NAME: _ClassVar[Attribute.Type]
        PATH: _ClassVar[Attribute.Type]
    REAL: Attribute.Type
    INTEGER: Attribute.Type
    BOOLEAN: Attribute.Type
    TEXT: Attribute.Type
    NAME: Attribute.Type
    PATH: Attribute.Type
    NAME_FIELD_NUMBER: _ClassVar[int]
    DESCRIPTION_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    UNIT_FIELD_NUMBER: _ClassVar[int]
    DEFAULT_FIELD_NUMBER: _ClassVar[int]
    REQUIRED_FIELD_NUMBER: _ClassVar[int]
    INTERVAL_FIELD_NUMBER: _ClassVar[int]
    LOW_OPEN_FIELD_NUMBER: _ClassVar[int]
    MAY_BE_ZERO_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_FIELD_NUMBER: _ClassVar[int]
    name: str
    description: str
    type: Attribute.Type
    unit: str
    default: Value
    required: bool
    interval: Limits
    low_open: bool
    may_be_zero: bool
    allowed: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., description: _Optional[str] = ..., type: _Optional[_Union[Attribute.Type, str]] = ..., unit: _Optional[str] = ..., default: _Optional[_Union[Value, _Mapping]] = ..., required: _Optional[bool] = ..., interval: _Optional[_Union[Limits, _Mapping]] = ..., low_open: _Optional[bool] = ..., may_be_zero: _Optional[bool] = ..., allowed: _Optional[_Iterable[str]] = ...) -> None: ...

class Record(_message.Message):
    __slots__ = ("kind", "entries")
    KIND_FIELD_NUMBER: _ClassVar[int]
    ENTRIES_FIELD_NUMBER: _ClassVar[int]
    kind: str
    entries: _containers.RepeatedCompositeFieldContainer[Entry]
    def __init__(self, kind: _Optional[str] = ..., entries: _Optional[_Iterable[_Union[Entry, _Mapping]]] = ...) -> None: ...

class Entry(_message.Message):
    __slots__ = ("name", "value")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    name: str
    value: Value
    def __init__(self, name: _Optional[str] = ..., value: _Optional[_Union[Value, _Mapping]] = ...) -> None: ...

class Value(_message.Message):
    __slots__ = ("number", "integer", "truth", "text", "list", "record")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    INTEGER_FIELD_NUMBER: _ClassVar[int]
    TRUTH_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    LIST_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    number: float
    integer: int
    truth: bool
    text: str
    list: Values
    record: Record
    def __init__(self, number: _Optional[float] = ..., integer: _Optional[int] = ..., truth: _Optional[bool] = ..., text: _Optional[str] = ..., list: _Optional[_Union[Values, _Mapping]] = ..., record: _Optional[_Union[Record, _Mapping]] = ...) -> None: ...

class Values(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedCompositeFieldContainer[Value]
    def __init__(self, values: _Optional[_Iterable[_Union[Value, _Mapping]]] = ...) -> None: ...
