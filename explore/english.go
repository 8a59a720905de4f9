package explore

import "strings"

// shortWords are common words that cost one token each, with a blank before them
// or without, and with a capital or without. They are sorted.
var shortWords = strings.Fields(`
about above access account accounts action actions active add added address adds after again
against age air alert all along already also amount an analyse and another answer any app
application applications apply apps are area around array article articles as ask assign at audio
available average balance bank based basic be been before being below best between book books
bottom branch build business but buy by cache calculate calendar call calls can cancel car case
cases categories category certain change changed changes channel check checks choose circle city
class client clients close closed cloud code codes color column columns comment commit common
companies company compare complete compute config configure connection contact contacts content
control convert copies copy cost count country counts course courses create created creates
currency current customer customers data database date dates day days default delete deliver
deploy describe description detail details device devices did different disk display distance do
doctor document documents does domain down download draw drug duration during each early edit
education else email empty encode energy english entries entry environment error errors estimate
even event events every example examples execute export false fast fetch few field fields file
files filter find first flight folder follow following food for format found free from full
function functions game games general generate get gets give given global good group groups had
handle has have health height help here high history hospital host hotel hour how id if image
images import in info information input insert install into invite invoice is issue it item items
its job jobs join just key keys keyword keywords label labels language large last late latest
least left length less level like limit line lines link links list lists load loads local
location log login logs long look low made mail main make makes manage many map market marketing
match max maximum may measure media medical meeting member members memory merge message messages
method methods minimum minute model models money monitor month more most move moves movie much
multiple music must name names network new news next no none not notify now null number numbers
object objects of off old on one only open option optional options or order orders other out
output over own page pages parameter parameters parse part parts password path patient pay
payment people per percent percentage period permission person phone photo pick place plan player
players point points policy port post posts power previous price print private process product
products profile project projects public publish put query queue range rank rate read reads
receive recent recipe record records region register related remove render replace reply report
reports repository request requests required research response restaurant result results return
returns review right role route row rows rule rules run running runs sales same save schedule
school science score search second seconds secret section security select sell send server
servers service services session set sets settings shape share ship short should show shows sign
similar simple since single site size slow small social some song sort source specific split
sport sports start starts state states status step steps still stock stop storage store stored
stores street string student students subscribe such support system systems table tables tag tags
take target task tasks tax team temperature test tests text that the then there these this those
through ticket tickets time times title to today token tokens tool tools top topic topics total
track traffic transaction transform translate travel trip true two type types under unit units
until up update updated updates upload url use used user users uses using valid validate value
values vehicle verify version via video view views volume was watch water weather web week weight
what when where which who whole why width will with within without word words workflow would
write writes year yes`)
