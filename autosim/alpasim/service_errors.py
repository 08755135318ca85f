"""Errors of AlpaSim's services, with the status that a call ends with."""

import grpc

from autosim.errors import UserError


class ServiceError(UserError):
    """A call cannot be answered; `status` is that of gRPC."""

    status = grpc.StatusCode.INTERNAL


class InvalidRequestError(ServiceError):
    """The request has a value that is not allowed."""

    status = grpc.StatusCode.INVALID_ARGUMENT


class UnknownNameError(ServiceError):
    """There is no scene, session or mask of that name."""

    status = grpc.StatusCode.NOT_FOUND


class UnsupportedError(ServiceError):
    """AutoSim does not offer what is requested."""

    status = grpc.StatusCode.UNIMPLEMENTED
