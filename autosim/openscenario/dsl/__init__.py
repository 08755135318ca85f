"""OpenSCENARIO DSL 2.x: reads `.osc` files and compiles a scenario to the storyboard of the engine.

`parsing/` makes declarations from text; the compiler refuses by name and line what is not executed.
Source: ASAM OpenSCENARIO DSL 2.1.0.
"""
