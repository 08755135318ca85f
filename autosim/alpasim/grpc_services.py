"""Services of gRPC from their descriptors: handlers for servers, calls for clients."""

from collections.abc import Callable, Mapping

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from autosim.alpasim.service_errors import ServiceError
from autosim.errors import UserError

MAX_MESSAGE_BYTES = 64 * 1024 * 1024
"""Size [bytes] of a message at most: AlpaSim's limit for several pictures in one."""

MESSAGE_OPTIONS = (
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
)

Answer = Callable[[Message], Message]
"""Answers a request, or raises a ServiceError."""


def handlers_of(service: ServiceDescriptor, servicer: object) -> grpc.GenericRpcHandler:
    """The handlers of all methods of a service.

    Args:
        service: its description.
        servicer: has a method for each of them, of the same name.
    """
    methods = {each.name: _handler(each, getattr(servicer, each.name)) for each in service.methods}
    return grpc.method_handlers_generic_handler(service.full_name, methods)


def _handler(method: MethodDescriptor, answer: Answer) -> "grpc.RpcMethodHandler[Message, Message]":
    def respond(request: Message, context: grpc.ServicerContext) -> Message:
        try:
            return answer(request)
        except UserError as error:
            status = grpc.StatusCode.FAILED_PRECONDITION
            if isinstance(error, ServiceError):
                status = error.status
            context.abort(status, str(error))
            raise AssertionError("abort raises") from error

    return grpc.unary_unary_rpc_method_handler(
        respond,
        request_deserializer=GetMessageClass(method.input_type).FromString,
        response_serializer=_to_bytes,
    )


def calls_of(
    channel: grpc.Channel, service: ServiceDescriptor
) -> "Mapping[str, grpc.UnaryUnaryMultiCallable[Message, Message]]":
    """The calls of all methods of a service, by their names."""
    return {
        each.name: channel.unary_unary(
            f"/{service.full_name}/{each.name}",
            request_serializer=_to_bytes,
            response_deserializer=GetMessageClass(each.output_type).FromString,
        )
        for each in service.methods
    }


def _to_bytes(message: Message) -> bytes:
    return message.SerializeToString()
