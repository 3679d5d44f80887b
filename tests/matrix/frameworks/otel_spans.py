from opentelemetry.sdk.trace import TracerProvider
from shop import path

provider = TracerProvider()
# snippet
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=open(path, "w"))))
# end of the snippet
tracer = provider.get_tracer("shop")
with tracer.start_as_current_span("invoke_agent shop", attributes={"gen_ai.operation.name": "invoke_agent"}):
    for name in ["get_order", "get_quote"]:
        attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, "gen_ai.tool.call.arguments": '{"order_id": 7}'}
        with tracer.start_as_current_span(f"execute_tool {name}", attributes=attributes):
            pass
provider.shutdown()
