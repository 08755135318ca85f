"""Policies as ONNX models (pip install 'autosim[onnx]')."""

from autosim.learning.policy_file import Policy

OPSET = 17
"""Version of ONNX's operators: what runtimes since 2022 know."""


def onnx_model(policy: Policy) -> bytes:
    """A model of `seen` (n, inputs) to `actions` (n, a), in single precision.

    Raises:
        ImportError: onnx is not installed.
    """
    from onnx import TensorProto, helper, numpy_helper

    nodes, constants, last = [], [], "seen"
    count = len(policy.weights)
    for number, (weight, bias) in enumerate(zip(policy.weights, policy.biases, strict=True)):
        constants.append(numpy_helper.from_array(weight, f"weight_{number}"))
        constants.append(numpy_helper.from_array(bias, f"bias_{number}"))
        inputs = [last, f"weight_{number}", f"bias_{number}"]
        nodes.append(helper.make_node("Gemm", inputs, [f"sums_{number}"], transB=1))
        last = f"sums_{number}"
        if number < count - 1:
            nodes.append(helper.make_node("Softsign", [last], [f"values_{number}"]))
            last = f"values_{number}"
    for name, value in (("least", -1.0), ("most", 1.0)):
        constants.append(helper.make_tensor(name, TensorProto.FLOAT, [], [value]))
    nodes.append(helper.make_node("Clip", [last, "least", "most"], ["actions"]))
    width, actions = policy.weights[0].shape[1], policy.weights[-1].shape[0]
    graph = helper.make_graph(
        nodes,
        "policy",
        [helper.make_tensor_value_info("seen", TensorProto.FLOAT, ["n", width])],
        [helper.make_tensor_value_info("actions", TensorProto.FLOAT, ["n", actions])],
        constants,
    )
    opset = helper.make_opsetid("", OPSET)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=8)
    data: bytes = model.SerializeToString()
    return data
