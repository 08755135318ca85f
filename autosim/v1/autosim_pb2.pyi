from autosim.v1 import tree_pb2 as _tree_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Role(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    NO_ROLE: _ClassVar[Role]
    VIEW: _ClassVar[Role]
    DRIVE: _ClassVar[Role]
    CONTROL: _ClassVar[Role]
NO_ROLE: Role
VIEW: Role
DRIVE: Role
CONTROL: Role

class DescribeRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class File(_message.Message):
    __slots__ = ("name", "digest")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    name: str
    digest: str
    def __init__(self, name: _Optional[str] = ..., digest: _Optional[str] = ...) -> None: ...

class ListFilesRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class FileList(_message.Message):
    __slots__ = ("world", "files", "compiled")
    WORLD_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    COMPILED_FIELD_NUMBER: _ClassVar[int]
    world: str
    files: _containers.RepeatedCompositeFieldContainer[OfferedFile]
    compiled: OfferedFile
    def __init__(self, world: _Optional[str] = ..., files: _Optional[_Iterable[_Union[OfferedFile, _Mapping]]] = ..., compiled: _Optional[_Union[OfferedFile, _Mapping]] = ...) -> None: ...

class OfferedFile(_message.Message):
    __slots__ = ("name", "digest", "size")
    NAME_FIELD_NUMBER: _ClassVar[int]
    DIGEST_FIELD_NUMBER: _ClassVar[int]
    SIZE_FIELD_NUMBER: _ClassVar[int]
    name: str
    digest: str
    size: int
    def __init__(self, name: _Optional[str] = ..., digest: _Optional[str] = ..., size: _Optional[int] = ...) -> None: ...

class ReadFileRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...

class FilePart(_message.Message):
    __slots__ = ("data",)
    DATA_FIELD_NUMBER: _ClassVar[int]
    data: bytes
    def __init__(self, data: _Optional[bytes] = ...) -> None: ...

class Description(_message.Message):
    __slots__ = ("version", "world", "layout_digest", "files", "step_ns", "state_bytes", "world_digest", "step_seconds", "tree", "seed", "picture_width", "picture_height")
    VERSION_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_DIGEST_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    STEP_NS_FIELD_NUMBER: _ClassVar[int]
    STATE_BYTES_FIELD_NUMBER: _ClassVar[int]
    WORLD_DIGEST_FIELD_NUMBER: _ClassVar[int]
    STEP_SECONDS_FIELD_NUMBER: _ClassVar[int]
    TREE_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    PICTURE_WIDTH_FIELD_NUMBER: _ClassVar[int]
    PICTURE_HEIGHT_FIELD_NUMBER: _ClassVar[int]
    version: str
    world: str
    layout_digest: str
    files: _containers.RepeatedCompositeFieldContainer[File]
    step_ns: int
    state_bytes: int
    world_digest: str
    step_seconds: float
    tree: _tree_pb2.Tree
    seed: int
    picture_width: int
    picture_height: int
    def __init__(self, version: _Optional[str] = ..., world: _Optional[str] = ..., layout_digest: _Optional[str] = ..., files: _Optional[_Iterable[_Union[File, _Mapping]]] = ..., step_ns: _Optional[int] = ..., state_bytes: _Optional[int] = ..., world_digest: _Optional[str] = ..., step_seconds: _Optional[float] = ..., tree: _Optional[_Union[_tree_pb2.Tree, _Mapping]] = ..., seed: _Optional[int] = ..., picture_width: _Optional[int] = ..., picture_height: _Optional[int] = ...) -> None: ...

class SubscribeRequest(_message.Message):
    __slots__ = ("client", "layout_digest", "rate_hz", "files", "max_hz", "plugins")
    CLIENT_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_DIGEST_FIELD_NUMBER: _ClassVar[int]
    RATE_HZ_FIELD_NUMBER: _ClassVar[int]
    FILES_FIELD_NUMBER: _ClassVar[int]
    MAX_HZ_FIELD_NUMBER: _ClassVar[int]
    PLUGINS_FIELD_NUMBER: _ClassVar[int]
    client: str
    layout_digest: str
    rate_hz: float
    files: _containers.RepeatedCompositeFieldContainer[File]
    max_hz: float
    plugins: _containers.RepeatedCompositeFieldContainer[_tree_pb2.Plugin]
    def __init__(self, client: _Optional[str] = ..., layout_digest: _Optional[str] = ..., rate_hz: _Optional[float] = ..., files: _Optional[_Iterable[_Union[File, _Mapping]]] = ..., max_hz: _Optional[float] = ..., plugins: _Optional[_Iterable[_Union[_tree_pb2.Plugin, _Mapping]]] = ...) -> None: ...

class Update(_message.Message):
    __slots__ = ("packet",)
    PACKET_FIELD_NUMBER: _ClassVar[int]
    packet: bytes
    def __init__(self, packet: _Optional[bytes] = ...) -> None: ...

class Command(_message.Message):
    __slots__ = ("device", "data")
    DEVICE_FIELD_NUMBER: _ClassVar[int]
    DATA_FIELD_NUMBER: _ClassVar[int]
    device: str
    data: bytes
    def __init__(self, device: _Optional[str] = ..., data: _Optional[bytes] = ...) -> None: ...

class Commands(_message.Message):
    __slots__ = ("commands",)
    COMMANDS_FIELD_NUMBER: _ClassVar[int]
    commands: _containers.RepeatedCompositeFieldContainer[Command]
    def __init__(self, commands: _Optional[_Iterable[_Union[Command, _Mapping]]] = ...) -> None: ...

class SetDataResult(_message.Message):
    __slots__ = ("accepted", "refused", "first_refusal")
    ACCEPTED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    FIRST_REFUSAL_FIELD_NUMBER: _ClassVar[int]
    accepted: int
    refused: int
    first_refusal: str
    def __init__(self, accepted: _Optional[int] = ..., refused: _Optional[int] = ..., first_refusal: _Optional[str] = ...) -> None: ...

class ProgramMessage(_message.Message):
    __slots__ = ("attach", "wait", "leave", "image_request", "client_drawing")
    ATTACH_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    LEAVE_FIELD_NUMBER: _ClassVar[int]
    IMAGE_REQUEST_FIELD_NUMBER: _ClassVar[int]
    CLIENT_DRAWING_FIELD_NUMBER: _ClassVar[int]
    attach: Attach
    wait: Wait
    leave: Leave
    image_request: ImageRequest
    client_drawing: ClientDrawing
    def __init__(self, attach: _Optional[_Union[Attach, _Mapping]] = ..., wait: _Optional[_Union[Wait, _Mapping]] = ..., leave: _Optional[_Union[Leave, _Mapping]] = ..., image_request: _Optional[_Union[ImageRequest, _Mapping]] = ..., client_drawing: _Optional[_Union[ClientDrawing, _Mapping]] = ...) -> None: ...

class Attach(_message.Message):
    __slots__ = ("program", "robot", "layout_digest")
    PROGRAM_FIELD_NUMBER: _ClassVar[int]
    ROBOT_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_DIGEST_FIELD_NUMBER: _ClassVar[int]
    program: str
    robot: str
    layout_digest: str
    def __init__(self, program: _Optional[str] = ..., robot: _Optional[str] = ..., layout_digest: _Optional[str] = ...) -> None: ...

class Wait(_message.Message):
    __slots__ = ("commands", "until_step", "turn_seconds")
    COMMANDS_FIELD_NUMBER: _ClassVar[int]
    UNTIL_STEP_FIELD_NUMBER: _ClassVar[int]
    TURN_SECONDS_FIELD_NUMBER: _ClassVar[int]
    commands: _containers.RepeatedCompositeFieldContainer[Command]
    until_step: int
    turn_seconds: float
    def __init__(self, commands: _Optional[_Iterable[_Union[Command, _Mapping]]] = ..., until_step: _Optional[int] = ..., turn_seconds: _Optional[float] = ...) -> None: ...

class Leave(_message.Message):
    __slots__ = ("has_failed", "reason", "traceback")
    HAS_FAILED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    TRACEBACK_FIELD_NUMBER: _ClassVar[int]
    has_failed: bool
    reason: str
    traceback: str
    def __init__(self, has_failed: _Optional[bool] = ..., reason: _Optional[str] = ..., traceback: _Optional[str] = ...) -> None: ...

class ImageRequest(_message.Message):
    __slots__ = ("images",)
    IMAGES_FIELD_NUMBER: _ClassVar[int]
    images: _containers.RepeatedCompositeFieldContainer[ImageSpec]
    def __init__(self, images: _Optional[_Iterable[_Union[ImageSpec, _Mapping]]] = ...) -> None: ...

class ClientDrawing(_message.Message):
    __slots__ = ("is_over",)
    IS_OVER_FIELD_NUMBER: _ClassVar[int]
    is_over: bool
    def __init__(self, is_over: _Optional[bool] = ...) -> None: ...

class ImageSpec(_message.Message):
    __slots__ = ("camera", "kind")
    CAMERA_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    camera: str
    kind: str
    def __init__(self, camera: _Optional[str] = ..., kind: _Optional[str] = ...) -> None: ...

class ServerMessage(_message.Message):
    __slots__ = ("turn_started", "refused", "images", "dismissed", "snapshot_taken", "restored", "layout_changed")
    TURN_STARTED_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    IMAGES_FIELD_NUMBER: _ClassVar[int]
    DISMISSED_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOT_TAKEN_FIELD_NUMBER: _ClassVar[int]
    RESTORED_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_CHANGED_FIELD_NUMBER: _ClassVar[int]
    turn_started: TurnStarted
    refused: Refused
    images: Images
    dismissed: Dismissed
    snapshot_taken: SnapshotTaken
    restored: Restored
    layout_changed: LayoutChanged
    def __init__(self, turn_started: _Optional[_Union[TurnStarted, _Mapping]] = ..., refused: _Optional[_Union[Refused, _Mapping]] = ..., images: _Optional[_Union[Images, _Mapping]] = ..., dismissed: _Optional[_Union[Dismissed, _Mapping]] = ..., snapshot_taken: _Optional[_Union[SnapshotTaken, _Mapping]] = ..., restored: _Optional[_Union[Restored, _Mapping]] = ..., layout_changed: _Optional[_Union[LayoutChanged, _Mapping]] = ...) -> None: ...

class LayoutChanged(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class SnapshotTaken(_message.Message):
    __slots__ = ("name", "is_dropped")
    NAME_FIELD_NUMBER: _ClassVar[int]
    IS_DROPPED_FIELD_NUMBER: _ClassVar[int]
    name: str
    is_dropped: bool
    def __init__(self, name: _Optional[str] = ..., is_dropped: _Optional[bool] = ...) -> None: ...

class Restored(_message.Message):
    __slots__ = ("name", "step")
    NAME_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    name: str
    step: int
    def __init__(self, name: _Optional[str] = ..., step: _Optional[int] = ...) -> None: ...

class TurnStarted(_message.Message):
    __slots__ = ("step", "state")
    STEP_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    step: int
    state: bytes
    def __init__(self, step: _Optional[int] = ..., state: _Optional[bytes] = ...) -> None: ...

class Refused(_message.Message):
    __slots__ = ("code", "reason")
    CODE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    code: int
    reason: str
    def __init__(self, code: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class Dismissed(_message.Message):
    __slots__ = ("reason", "has_failed")
    REASON_FIELD_NUMBER: _ClassVar[int]
    HAS_FAILED_FIELD_NUMBER: _ClassVar[int]
    reason: str
    has_failed: bool
    def __init__(self, reason: _Optional[str] = ..., has_failed: _Optional[bool] = ...) -> None: ...

class Images(_message.Message):
    __slots__ = ("images", "memory")
    IMAGES_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    images: _containers.RepeatedCompositeFieldContainer[Image]
    memory: bytes
    def __init__(self, images: _Optional[_Iterable[_Union[Image, _Mapping]]] = ..., memory: _Optional[bytes] = ...) -> None: ...

class Image(_message.Message):
    __slots__ = ("width", "height", "offset", "step")
    WIDTH_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    width: int
    height: int
    offset: int
    step: int
    def __init__(self, width: _Optional[int] = ..., height: _Optional[int] = ..., offset: _Optional[int] = ..., step: _Optional[int] = ...) -> None: ...

class RenderRequest(_message.Message):
    __slots__ = ("number", "state", "images")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    IMAGES_FIELD_NUMBER: _ClassVar[int]
    number: int
    state: bytes
    images: _containers.RepeatedCompositeFieldContainer[ImageSpec]
    def __init__(self, number: _Optional[int] = ..., state: _Optional[bytes] = ..., images: _Optional[_Iterable[_Union[ImageSpec, _Mapping]]] = ...) -> None: ...

class RenderResult(_message.Message):
    __slots__ = ("number", "layout_digest", "memory", "images", "failure")
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    LAYOUT_DIGEST_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    IMAGES_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    number: int
    layout_digest: str
    memory: bytes
    images: _containers.RepeatedCompositeFieldContainer[Image]
    failure: str
    def __init__(self, number: _Optional[int] = ..., layout_digest: _Optional[str] = ..., memory: _Optional[bytes] = ..., images: _Optional[_Iterable[_Union[Image, _Mapping]]] = ..., failure: _Optional[str] = ...) -> None: ...

class ControlRequest(_message.Message):
    __slots__ = ("action", "steps", "real_time_factor", "commands", "wants_state")
    class Action(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        STATUS: _ClassVar[ControlRequest.Action]
        RUN: _ClassVar[ControlRequest.Action]
        PAUSE: _ClassVar[ControlRequest.Action]
        STEP: _ClassVar[ControlRequest.Action]
        STOP: _ClassVar[ControlRequest.Action]
    STATUS: ControlRequest.Action
    RUN: ControlRequest.Action
    PAUSE: ControlRequest.Action
    STEP: ControlRequest.Action
    STOP: ControlRequest.Action
    ACTION_FIELD_NUMBER: _ClassVar[int]
    STEPS_FIELD_NUMBER: _ClassVar[int]
    REAL_TIME_FACTOR_FIELD_NUMBER: _ClassVar[int]
    COMMANDS_FIELD_NUMBER: _ClassVar[int]
    WANTS_STATE_FIELD_NUMBER: _ClassVar[int]
    action: ControlRequest.Action
    steps: int
    real_time_factor: float
    commands: _containers.RepeatedCompositeFieldContainer[Command]
    wants_state: bool
    def __init__(self, action: _Optional[_Union[ControlRequest.Action, str]] = ..., steps: _Optional[int] = ..., real_time_factor: _Optional[float] = ..., commands: _Optional[_Iterable[_Union[Command, _Mapping]]] = ..., wants_state: _Optional[bool] = ...) -> None: ...

class Status(_message.Message):
    __slots__ = ("phase", "step", "time_ns", "clients", "programs", "world", "unresponsive_seconds", "real_time_factor", "state", "work", "undoable")
    class Phase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        LOADING: _ClassVar[Status.Phase]
        READY: _ClassVar[Status.Phase]
        RUNNING: _ClassVar[Status.Phase]
        PAUSED: _ClassVar[Status.Phase]
        STOPPED: _ClassVar[Status.Phase]
        EMPTY: _ClassVar[Status.Phase]
    LOADING: Status.Phase
    READY: Status.Phase
    RUNNING: Status.Phase
    PAUSED: Status.Phase
    STOPPED: Status.Phase
    EMPTY: Status.Phase
    PHASE_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    TIME_NS_FIELD_NUMBER: _ClassVar[int]
    CLIENTS_FIELD_NUMBER: _ClassVar[int]
    PROGRAMS_FIELD_NUMBER: _ClassVar[int]
    WORLD_FIELD_NUMBER: _ClassVar[int]
    UNRESPONSIVE_SECONDS_FIELD_NUMBER: _ClassVar[int]
    REAL_TIME_FACTOR_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    WORK_FIELD_NUMBER: _ClassVar[int]
    UNDOABLE_FIELD_NUMBER: _ClassVar[int]
    phase: Status.Phase
    step: int
    time_ns: int
    clients: int
    programs: int
    world: str
    unresponsive_seconds: float
    real_time_factor: float
    state: bytes
    work: str
    undoable: str
    def __init__(self, phase: _Optional[_Union[Status.Phase, str]] = ..., step: _Optional[int] = ..., time_ns: _Optional[int] = ..., clients: _Optional[int] = ..., programs: _Optional[int] = ..., world: _Optional[str] = ..., unresponsive_seconds: _Optional[float] = ..., real_time_factor: _Optional[float] = ..., state: _Optional[bytes] = ..., work: _Optional[str] = ..., undoable: _Optional[str] = ...) -> None: ...

class ReportRequest(_message.Message):
    __slots__ = ("messages_after",)
    MESSAGES_AFTER_FIELD_NUMBER: _ClassVar[int]
    messages_after: int
    def __init__(self, messages_after: _Optional[int] = ...) -> None: ...

class Message(_message.Message):
    __slots__ = ("level", "source", "step", "text", "number")
    LEVEL_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    level: str
    source: str
    step: int
    text: str
    number: int
    def __init__(self, level: _Optional[str] = ..., source: _Optional[str] = ..., step: _Optional[int] = ..., text: _Optional[str] = ..., number: _Optional[int] = ...) -> None: ...

class RunReport(_message.Message):
    __slots__ = ("status", "wall_seconds", "step_ms_p50", "step_ms_p99", "state_digest", "messages", "robots", "collisions", "lateness_ms_p50", "lateness_ms_p99", "messages_total", "messages_dropped")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    WALL_SECONDS_FIELD_NUMBER: _ClassVar[int]
    STEP_MS_P50_FIELD_NUMBER: _ClassVar[int]
    STEP_MS_P99_FIELD_NUMBER: _ClassVar[int]
    STATE_DIGEST_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_FIELD_NUMBER: _ClassVar[int]
    ROBOTS_FIELD_NUMBER: _ClassVar[int]
    COLLISIONS_FIELD_NUMBER: _ClassVar[int]
    LATENESS_MS_P50_FIELD_NUMBER: _ClassVar[int]
    LATENESS_MS_P99_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_TOTAL_FIELD_NUMBER: _ClassVar[int]
    MESSAGES_DROPPED_FIELD_NUMBER: _ClassVar[int]
    status: Status
    wall_seconds: float
    step_ms_p50: float
    step_ms_p99: float
    state_digest: str
    messages: _containers.RepeatedCompositeFieldContainer[Message]
    robots: _containers.RepeatedScalarFieldContainer[str]
    collisions: _containers.RepeatedScalarFieldContainer[int]
    lateness_ms_p50: float
    lateness_ms_p99: float
    messages_total: int
    messages_dropped: int
    def __init__(self, status: _Optional[_Union[Status, _Mapping]] = ..., wall_seconds: _Optional[float] = ..., step_ms_p50: _Optional[float] = ..., step_ms_p99: _Optional[float] = ..., state_digest: _Optional[str] = ..., messages: _Optional[_Iterable[_Union[Message, _Mapping]]] = ..., robots: _Optional[_Iterable[str]] = ..., collisions: _Optional[_Iterable[int]] = ..., lateness_ms_p50: _Optional[float] = ..., lateness_ms_p99: _Optional[float] = ..., messages_total: _Optional[int] = ..., messages_dropped: _Optional[int] = ...) -> None: ...

class TrackRequest(_message.Message):
    __slots__ = ("samples", "interval")
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    INTERVAL_FIELD_NUMBER: _ClassVar[int]
    samples: int
    interval: int
    def __init__(self, samples: _Optional[int] = ..., interval: _Optional[int] = ...) -> None: ...

class TrackSamples(_message.Message):
    __slots__ = ("robots", "first", "interval", "samples")
    ROBOTS_FIELD_NUMBER: _ClassVar[int]
    FIRST_FIELD_NUMBER: _ClassVar[int]
    INTERVAL_FIELD_NUMBER: _ClassVar[int]
    SAMPLES_FIELD_NUMBER: _ClassVar[int]
    robots: _containers.RepeatedScalarFieldContainer[str]
    first: int
    interval: int
    samples: bytes
    def __init__(self, robots: _Optional[_Iterable[str]] = ..., first: _Optional[int] = ..., interval: _Optional[int] = ..., samples: _Optional[bytes] = ...) -> None: ...

class ClientsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ClientList(_message.Message):
    __slots__ = ("clients",)
    CLIENTS_FIELD_NUMBER: _ClassVar[int]
    clients: _containers.RepeatedCompositeFieldContainer[Client]
    def __init__(self, clients: _Optional[_Iterable[_Union[Client, _Mapping]]] = ...) -> None: ...

class Client(_message.Message):
    __slots__ = ("name", "peer", "rate_hz", "connected_seconds", "updates", "bytes", "skipped", "delay_ms")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PEER_FIELD_NUMBER: _ClassVar[int]
    RATE_HZ_FIELD_NUMBER: _ClassVar[int]
    CONNECTED_SECONDS_FIELD_NUMBER: _ClassVar[int]
    UPDATES_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    SKIPPED_FIELD_NUMBER: _ClassVar[int]
    DELAY_MS_FIELD_NUMBER: _ClassVar[int]
    name: str
    peer: str
    rate_hz: float
    connected_seconds: float
    updates: int
    bytes: int
    skipped: int
    delay_ms: float
    def __init__(self, name: _Optional[str] = ..., peer: _Optional[str] = ..., rate_hz: _Optional[float] = ..., connected_seconds: _Optional[float] = ..., updates: _Optional[int] = ..., bytes: _Optional[int] = ..., skipped: _Optional[int] = ..., delay_ms: _Optional[float] = ...) -> None: ...

class ProgramsRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class ProgramList(_message.Message):
    __slots__ = ("programs",)
    PROGRAMS_FIELD_NUMBER: _ClassVar[int]
    programs: _containers.RepeatedCompositeFieldContainer[Program]
    def __init__(self, programs: _Optional[_Iterable[_Union[Program, _Mapping]]] = ...) -> None: ...

class Program(_message.Message):
    __slots__ = ("robot", "file", "arguments", "side", "state", "exit_reason", "restarts", "turn_ms_mean", "turn_ms_max", "turns", "has_turn", "drives")
    class State(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        WAITING: _ClassVar[Program.State]
        RUNNING: _ClassVar[Program.State]
        STOPPED: _ClassVar[Program.State]
        FAILED: _ClassVar[Program.State]
        DISABLED: _ClassVar[Program.State]
    WAITING: Program.State
    RUNNING: Program.State
    STOPPED: Program.State
    FAILED: Program.State
    DISABLED: Program.State
    ROBOT_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    SIDE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    EXIT_REASON_FIELD_NUMBER: _ClassVar[int]
    RESTARTS_FIELD_NUMBER: _ClassVar[int]
    TURN_MS_MEAN_FIELD_NUMBER: _ClassVar[int]
    TURN_MS_MAX_FIELD_NUMBER: _ClassVar[int]
    TURNS_FIELD_NUMBER: _ClassVar[int]
    HAS_TURN_FIELD_NUMBER: _ClassVar[int]
    DRIVES_FIELD_NUMBER: _ClassVar[int]
    robot: str
    file: str
    arguments: _containers.RepeatedScalarFieldContainer[str]
    side: str
    state: Program.State
    exit_reason: str
    restarts: int
    turn_ms_mean: float
    turn_ms_max: float
    turns: int
    has_turn: bool
    drives: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, robot: _Optional[str] = ..., file: _Optional[str] = ..., arguments: _Optional[_Iterable[str]] = ..., side: _Optional[str] = ..., state: _Optional[_Union[Program.State, str]] = ..., exit_reason: _Optional[str] = ..., restarts: _Optional[int] = ..., turn_ms_mean: _Optional[float] = ..., turn_ms_max: _Optional[float] = ..., turns: _Optional[int] = ..., has_turn: _Optional[bool] = ..., drives: _Optional[_Iterable[str]] = ...) -> None: ...

class ProgramOrder(_message.Message):
    __slots__ = ("action", "robot", "file", "arguments", "has_arguments")
    class Action(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        STOP: _ClassVar[ProgramOrder.Action]
        RESTART: _ClassVar[ProgramOrder.Action]
        ATTACH: _ClassVar[ProgramOrder.Action]
        TAKE_OVER: _ClassVar[ProgramOrder.Action]
        GIVE_BACK: _ClassVar[ProgramOrder.Action]
    STOP: ProgramOrder.Action
    RESTART: ProgramOrder.Action
    ATTACH: ProgramOrder.Action
    TAKE_OVER: ProgramOrder.Action
    GIVE_BACK: ProgramOrder.Action
    ACTION_FIELD_NUMBER: _ClassVar[int]
    ROBOT_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    HAS_ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    action: ProgramOrder.Action
    robot: str
    file: str
    arguments: _containers.RepeatedScalarFieldContainer[str]
    has_arguments: bool
    def __init__(self, action: _Optional[_Union[ProgramOrder.Action, str]] = ..., robot: _Optional[str] = ..., file: _Optional[str] = ..., arguments: _Optional[_Iterable[str]] = ..., has_arguments: _Optional[bool] = ...) -> None: ...

class LoadRequest(_message.Message):
    __slots__ = ("world", "is_safe", "steps_per_second")
    WORLD_FIELD_NUMBER: _ClassVar[int]
    IS_SAFE_FIELD_NUMBER: _ClassVar[int]
    STEPS_PER_SECOND_FIELD_NUMBER: _ClassVar[int]
    world: str
    is_safe: bool
    steps_per_second: int
    def __init__(self, world: _Optional[str] = ..., is_safe: _Optional[bool] = ..., steps_per_second: _Optional[int] = ...) -> None: ...

class LoadProgress(_message.Message):
    __slots__ = ("step", "share", "status", "warnings")
    STEP_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    step: str
    share: float
    status: Status
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, step: _Optional[str] = ..., share: _Optional[float] = ..., status: _Optional[_Union[Status, _Mapping]] = ..., warnings: _Optional[_Iterable[str]] = ...) -> None: ...

class AddRobotRequest(_message.Message):
    __slots__ = ("file", "name", "is_placed", "x", "y", "yaw", "program", "arguments")
    FILE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    IS_PLACED_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    YAW_FIELD_NUMBER: _ClassVar[int]
    PROGRAM_FIELD_NUMBER: _ClassVar[int]
    ARGUMENTS_FIELD_NUMBER: _ClassVar[int]
    file: str
    name: str
    is_placed: bool
    x: float
    y: float
    yaw: float
    program: str
    arguments: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, file: _Optional[str] = ..., name: _Optional[str] = ..., is_placed: _Optional[bool] = ..., x: _Optional[float] = ..., y: _Optional[float] = ..., yaw: _Optional[float] = ..., program: _Optional[str] = ..., arguments: _Optional[_Iterable[str]] = ...) -> None: ...

class MoveRobotRequest(_message.Message):
    __slots__ = ("robot", "x", "y", "yaw", "height", "velocity", "angular_velocity")
    ROBOT_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    YAW_FIELD_NUMBER: _ClassVar[int]
    HEIGHT_FIELD_NUMBER: _ClassVar[int]
    VELOCITY_FIELD_NUMBER: _ClassVar[int]
    ANGULAR_VELOCITY_FIELD_NUMBER: _ClassVar[int]
    robot: str
    x: float
    y: float
    yaw: float
    height: float
    velocity: Vector
    angular_velocity: Vector
    def __init__(self, robot: _Optional[str] = ..., x: _Optional[float] = ..., y: _Optional[float] = ..., yaw: _Optional[float] = ..., height: _Optional[float] = ..., velocity: _Optional[_Union[Vector, _Mapping]] = ..., angular_velocity: _Optional[_Union[Vector, _Mapping]] = ...) -> None: ...

class Vector(_message.Message):
    __slots__ = ("x", "y", "z")
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    Z_FIELD_NUMBER: _ClassVar[int]
    x: float
    y: float
    z: float
    def __init__(self, x: _Optional[float] = ..., y: _Optional[float] = ..., z: _Optional[float] = ...) -> None: ...

class UndoRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class UndoReport(_message.Message):
    __slots__ = ("undone", "next")
    UNDONE_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    undone: str
    next: str
    def __init__(self, undone: _Optional[str] = ..., next: _Optional[str] = ...) -> None: ...

class RemoveRobotRequest(_message.Message):
    __slots__ = ("robot",)
    ROBOT_FIELD_NUMBER: _ClassVar[int]
    robot: str
    def __init__(self, robot: _Optional[str] = ...) -> None: ...

class SaveRequest(_message.Message):
    __slots__ = ("folder",)
    FOLDER_FIELD_NUMBER: _ClassVar[int]
    folder: str
    def __init__(self, folder: _Optional[str] = ...) -> None: ...

class WorldFile(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class TimeOrder(_message.Message):
    __slots__ = ("action", "name", "seconds", "step", "seed", "places")
    class Action(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        REPORT: _ClassVar[TimeOrder.Action]
        RECORD: _ClassVar[TimeOrder.Action]
        STOP_RECORD: _ClassVar[TimeOrder.Action]
        SNAPSHOT: _ClassVar[TimeOrder.Action]
        RESTORE: _ClassVar[TimeOrder.Action]
        DROP: _ClassVar[TimeOrder.Action]
        REWIND: _ClassVar[TimeOrder.Action]
        SEEK: _ClassVar[TimeOrder.Action]
        PLAY_BACK: _ClassVar[TimeOrder.Action]
        SAVE_SNAPSHOT: _ClassVar[TimeOrder.Action]
        BEGIN: _ClassVar[TimeOrder.Action]
    REPORT: TimeOrder.Action
    RECORD: TimeOrder.Action
    STOP_RECORD: TimeOrder.Action
    SNAPSHOT: TimeOrder.Action
    RESTORE: TimeOrder.Action
    DROP: TimeOrder.Action
    REWIND: TimeOrder.Action
    SEEK: TimeOrder.Action
    PLAY_BACK: TimeOrder.Action
    SAVE_SNAPSHOT: TimeOrder.Action
    BEGIN: TimeOrder.Action
    ACTION_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    PLACES_FIELD_NUMBER: _ClassVar[int]
    action: TimeOrder.Action
    name: str
    seconds: float
    step: int
    seed: int
    places: _containers.RepeatedCompositeFieldContainer[StartPose]
    def __init__(self, action: _Optional[_Union[TimeOrder.Action, str]] = ..., name: _Optional[str] = ..., seconds: _Optional[float] = ..., step: _Optional[int] = ..., seed: _Optional[int] = ..., places: _Optional[_Iterable[_Union[StartPose, _Mapping]]] = ...) -> None: ...

class StartPose(_message.Message):
    __slots__ = ("robot", "x", "y", "z", "yaw")
    ROBOT_FIELD_NUMBER: _ClassVar[int]
    X_FIELD_NUMBER: _ClassVar[int]
    Y_FIELD_NUMBER: _ClassVar[int]
    Z_FIELD_NUMBER: _ClassVar[int]
    YAW_FIELD_NUMBER: _ClassVar[int]
    robot: str
    x: float
    y: float
    z: float
    yaw: float
    def __init__(self, robot: _Optional[str] = ..., x: _Optional[float] = ..., y: _Optional[float] = ..., z: _Optional[float] = ..., yaw: _Optional[float] = ...) -> None: ...

class TimeReport(_message.Message):
    __slots__ = ("status", "record", "snapshots", "is_replay", "first_step", "last_step", "state_digest")
    STATUS_FIELD_NUMBER: _ClassVar[int]
    RECORD_FIELD_NUMBER: _ClassVar[int]
    SNAPSHOTS_FIELD_NUMBER: _ClassVar[int]
    IS_REPLAY_FIELD_NUMBER: _ClassVar[int]
    FIRST_STEP_FIELD_NUMBER: _ClassVar[int]
    LAST_STEP_FIELD_NUMBER: _ClassVar[int]
    STATE_DIGEST_FIELD_NUMBER: _ClassVar[int]
    status: Status
    record: RecordState
    snapshots: _containers.RepeatedCompositeFieldContainer[SnapshotInfo]
    is_replay: bool
    first_step: int
    last_step: int
    state_digest: str
    def __init__(self, status: _Optional[_Union[Status, _Mapping]] = ..., record: _Optional[_Union[RecordState, _Mapping]] = ..., snapshots: _Optional[_Iterable[_Union[SnapshotInfo, _Mapping]]] = ..., is_replay: _Optional[bool] = ..., first_step: _Optional[int] = ..., last_step: _Optional[int] = ..., state_digest: _Optional[str] = ...) -> None: ...

class RecordState(_message.Message):
    __slots__ = ("path", "states", "bytes", "waits", "failure", "dropped")
    PATH_FIELD_NUMBER: _ClassVar[int]
    STATES_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    WAITS_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    DROPPED_FIELD_NUMBER: _ClassVar[int]
    path: str
    states: int
    bytes: int
    waits: int
    failure: str
    dropped: int
    def __init__(self, path: _Optional[str] = ..., states: _Optional[int] = ..., bytes: _Optional[int] = ..., waits: _Optional[int] = ..., failure: _Optional[str] = ..., dropped: _Optional[int] = ...) -> None: ...

class SnapshotInfo(_message.Message):
    __slots__ = ("name", "step", "time_ns", "bytes")
    NAME_FIELD_NUMBER: _ClassVar[int]
    STEP_FIELD_NUMBER: _ClassVar[int]
    TIME_NS_FIELD_NUMBER: _ClassVar[int]
    BYTES_FIELD_NUMBER: _ClassVar[int]
    name: str
    step: int
    time_ns: int
    bytes: int
    def __init__(self, name: _Optional[str] = ..., step: _Optional[int] = ..., time_ns: _Optional[int] = ..., bytes: _Optional[int] = ...) -> None: ...

class CreateTokenRequest(_message.Message):
    __slots__ = ("role", "name", "robots", "seconds")
    ROLE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    ROBOTS_FIELD_NUMBER: _ClassVar[int]
    SECONDS_FIELD_NUMBER: _ClassVar[int]
    role: Role
    name: str
    robots: _containers.RepeatedScalarFieldContainer[str]
    seconds: float
    def __init__(self, role: _Optional[_Union[Role, str]] = ..., name: _Optional[str] = ..., robots: _Optional[_Iterable[str]] = ..., seconds: _Optional[float] = ...) -> None: ...

class CreatedToken(_message.Message):
    __slots__ = ("token", "secret")
    TOKEN_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    token: Token
    secret: str
    def __init__(self, token: _Optional[_Union[Token, _Mapping]] = ..., secret: _Optional[str] = ...) -> None: ...

class ListTokensRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class TokenList(_message.Message):
    __slots__ = ("tokens",)
    TOKENS_FIELD_NUMBER: _ClassVar[int]
    tokens: _containers.RepeatedCompositeFieldContainer[Token]
    def __init__(self, tokens: _Optional[_Iterable[_Union[Token, _Mapping]]] = ...) -> None: ...

class Token(_message.Message):
    __slots__ = ("name", "role", "robots", "made", "expires")
    NAME_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    ROBOTS_FIELD_NUMBER: _ClassVar[int]
    MADE_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_FIELD_NUMBER: _ClassVar[int]
    name: str
    role: Role
    robots: _containers.RepeatedScalarFieldContainer[str]
    made: float
    expires: float
    def __init__(self, name: _Optional[str] = ..., role: _Optional[_Union[Role, str]] = ..., robots: _Optional[_Iterable[str]] = ..., made: _Optional[float] = ..., expires: _Optional[float] = ...) -> None: ...

class RevokeTokenRequest(_message.Message):
    __slots__ = ("name",)
    NAME_FIELD_NUMBER: _ClassVar[int]
    name: str
    def __init__(self, name: _Optional[str] = ...) -> None: ...
