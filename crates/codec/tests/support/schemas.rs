//! Tables of types for tests of single messages and values.

/// For what is read.
pub(crate) const READ: &str = "
Pair = a:int, b:int
Either = (a:int | b:string)
Orders = ((a:int, b:int) | (b:int, a:int))
Around = a:int, b:string, a:int
Many = a:int{2-3}, b:string?
All = (a:int & b:string? & c:boolean)
Nested = (a:int, (b:int | c:int)?, d:int?)?, e:int
Passes = (a:int, b:int?)*, c:int?
Options = (a:int | b:int)+
Inner = ((a:int, (b:int | c:int)*)+ | d:int)
Two = p:Pair, q:Pair?
Empty = @id:int
Attributes = @id:int!, @lang:language=en, @x^x:string, @color:{red/green}
Texted = @unit:string, #:decimal
Defaulted = a:int=5, b:string=none
Nils = a:int~, b:Pair~
Wild = a:int, *other*, b:int?
WildAny = a:int?, *any*
Open = @*, a:int
Simple = a:anySimpleType, u:<int/boolean>?, l:[int]?, names:[QName]?
Names = q:QName, r:QName?
Base! = a:int
More(Base) = b:int
Least(Base) = c:string?
Holder = x:Base*, any:any~?
Spaces = ^u:int, x^v:int
Given = a:string=x*
Kept = @k:int=5, a:int
Kepts = p:Kept*
Texts = s:string*
WildPasses = (*other, b:int)*
Header = token:string?, count:int?
";

/// For what is written.
pub(crate) const WRITTEN: &str = "
Pair = a:int, b:string?
Either = (a:int~ | b:string~ | (c:int, d:int))
Orders = ((a:int, b:int) | (b:int, a:int))
Around = a:int{1-2}, b:string, a:int{1-3}
All = (a:int & b:string? & c:boolean)
Nested = (a:int, (b:int | c:int)?, d:int?)?, e:int
Passes = (a:int, b:int?)*, c:int?
Options = (a:int | b:int)+
Nils = a:int~, b:Pair~, c:int?
Defaulted = a:int=5, b:string?
Few = a:int=5+, b:int~+
Several = a:int=5{2-3}, b:int~{2-}
Attributes = @id:int!, @lang:language=en, @x^n:QName, @q:QName, #:QName
Open = @*, @own:string, a:int?
Wild = a:int?, *other*
WildOne = *any?
List = l:[double]?, s:[string]?, i:[int]*
Array = n:double*
Arrays = a:Array?, b:Array*
Any = x:any?
Enum = e:{red/green}?, u:<{red}/int>?
Base! = a:int
More(Base) = b:int
Holder = x:Base*, p:Pair?
Deep = d:Deep?
Binary = b:base64Binary?, h:hexBinary?
Token = n:NCName?, f:float?, d:decimal?, q:QName?
Header = h:int?
Said = v:anySimpleType
";
