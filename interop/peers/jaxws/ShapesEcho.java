package interop;

import interop.shapes.EchoFigures;
import interop.shapes.EchoFiguresResponse;
import interop.shapes.InteropShapesPortType;
import interop.shapes.Shape;
import interop.shapes.ShapeFault;
import interop.shapes.ShapeFault_Exception;
import interop.shapes.Sheet;
import interop.shapes.TextFault;
import jakarta.jws.WebService;
import jakarta.xml.ws.BindingType;
import jakarta.xml.ws.Holder;
import jakarta.xml.ws.soap.SOAPBinding;
import java.util.List;

/** Serves shapes.wsdl. */
abstract class ShapesEcho implements InteropShapesPortType {
    @WebService(endpointInterface = "interop.shapes.InteropShapesPortType", targetNamespace = "urn:castile:interop:shapes",
            serviceName = "InteropShapes", portName = "Shapes11", wsdlLocation = "shapes.wsdl")
    public static final class Soap11 extends ShapesEcho {}

    @WebService(endpointInterface = "interop.shapes.InteropShapesPortType", targetNamespace = "urn:castile:interop:shapes",
            serviceName = "InteropShapes", portName = "Shapes12", wsdlLocation = "shapes.wsdl")
    @BindingType(SOAPBinding.SOAP12HTTP_BINDING)
    public static final class Soap12 extends ShapesEcho {}

    @Override
    public void echoShapes(Holder<List<Shape>> shape) {}

    @Override
    public EchoFiguresResponse echoFigures(EchoFigures parameters) {
        EchoFiguresResponse made = new EchoFiguresResponse();
        made.getFigure().addAll(parameters.getFigure());
        return made;
    }

    @Override
    public void echoNumber(Holder<Double> number) {}

    @Override
    public void echoDrawing(Holder<Sheet> drawing) {}

    @Override
    public void failShape(Shape shape, String text) throws ShapeFault_Exception, TextFault {
        if (shape == null) {
            throw new TextFault("text", text);
        }
        ShapeFault fault = new ShapeFault();
        fault.setShape(shape);
        throw new ShapeFault_Exception("shape", fault);
    }
}
