package people

// list has one person a line: id, name, place.
const list = `
abebe|Abebe Tadesse|Addis Ababa
adaeze|Adaeze Okafor|Lagos
aditi|Aditi Sharma|Jaipur
agnes|Agnes Lindqvist|Uppsala
ahmed|Ahmed El-Sayed|Alexandria
aiko|Aiko Tanaka|Kyoto
aisha|Aisha Bello|Kano
akira|Akira Nakamura|Sapporo
alba|Alba Ferrer|Valencia
alejandro|Alejandro Ruiz|Mexico City
alina|Alina Popescu|Cluj-Napoca
amara|Amara Diallo|Dakar
amelie|Amélie Laurent|Lyon
amina|Amina Hassan|Mombasa
anders|Anders Holm|Bergen
andrei|Andrei Ionescu|Brașov
anika|Anika Vogel|Leipzig
ann|Ann Whitfield|Portland
ansel|Ansel Brandt|Freiburg
anton|Anton Sokolov|Tbilisi
anwar|Anwar Rahman|Dhaka
arash|Arash Karimi|Shiraz
arjun|Arjun Menon|Kochi
astrid|Astrid Nygaard|Tromsø
ayla|Ayla Demir|Izmir
beatriz|Beatriz Carvalho|Porto
ben|Ben Okoro|Bristol
bianca|Bianca Rossi|Turin
bilal|Bilal Qureshi|Lahore
bjorn|Björn Sigurdsson|Akureyri
bo|陈博|Chengdu
bruno|Bruno Almeida|Recife
caleb|Caleb Wright|Asheville
camila|Camila Torres|Bogotá
carlos|Carlos Mendoza|Oaxaca
carmen|Carmen Ortega|Seville
cedric|Cédric Moreau|Nantes
chiara|Chiara Bianchi|Bologna
chidi|Chidi Eze|Enugu
chloe|Chloe Martin|Wellington
chris|Chris Delgado|Honolulu
clara|Clara Weiss|Vienna
daichi|Daichi Mori|Nagano
dalia|Dalia Haddad|Amman
daniel|Daniel Novak|Ljubljana
dao|Đào Thị Mai|Huế
deniz|Deniz Kaya|Istanbul
diego|Diego Salazar|Cusco
dina|Dina Cohen|Haifa
dmitri|Dmitri Orlov|Riga
dong|董晓东|Harbin
eero|Eero Virtanen|Oulu
elena|Elena Petrova|Plovdiv
eli|Eli Goldberg|Montréal
elif|Elif Şahin|Ankara
elin|Elin Andersson|Malmö
emeka|Emeka Nwosu|Abuja
emi|Emi Kobayashi|Kanazawa
emma|Emma Clarke|Edinburgh
enzo|Enzo Ricci|Genoa
eric|Eric Lam|Vancouver
erik|Erik Dahl|Oslo
esperanza|Esperanza Vega|Antigua
ewa|Ewa Kowalska|Kraków
fang|方静|Suzhou
farah|Farah Nasser|Beirut
fatima|Fatima Zahra|Fez
felix|Felix Bauer|Innsbruck
femi|Femi Adeyemi|Ibadan
finn|Finn O'Brien|Galway
fiona|Fiona MacLeod|Skye
freya|Freya Jensen|Aarhus
gabriel|Gabriel Costa|Curitiba
giulia|Giulia Conti|Palermo
grace|Grace Wanjiru|Nairobi
gu|顾晨|Shanghai
gustav|Gustav Berg|Gothenburg
hana|Hana Svobodová|Brno
hannah|Hannah Fischer|Hamburg
hao|郝宇|Xi'an
haruto|Haruto Sato|Fukuoka
hassan|Hassan Ali|Muscat
hugo|Hugo Bernard|Annecy
ibrahim|Ibrahim Keita|Bamako
ida|Ida Mikkelsen|Tórshavn
ikram|Ikram Bouzid|Tunis
ines|Inês Duarte|Lisbon
ingrid|Ingrid Solberg|Ålesund
isabel|Isabel Navarro|Granada
ishaan|Ishaan Kapoor|Mumbai
ivan|Ivan Horvat|Zagreb
jack|Jack Turner|Hobart
jamal|Jamal Carter|Atlanta
jan|Jan de Vries|Utrecht
jasmine|Jasmine Brooks|Austin
jia|贾雨桐|Hangzhou
jihoon|Jihoon Park|Busan
jin|金泽|Dalian
joana|Joana Silva|Coimbra
joao|João Batista|Salvador
jonas|Jonas Keller|Zürich
jorge|Jorge Castillo|Valparaíso
josh|Josh Freeman|Denver
julia|Julia Nowak|Gdańsk
jun|周俊|Guangzhou
kai|Kai Nakoa|Hilo
kamala|Kamala Thapa|Pokhara
karin|Karin Steiner|Salzburg
karl|Karl Eriksson|Kiruna
kavya|Kavya Reddy|Hyderabad
keiko|Keiko Yamamoto|Nara
kenji|Kenji Watanabe|Yokohama
khalid|Khalid Al-Farsi|Nizwa
kofi|Kofi Mensah|Accra
kwame|Kwame Asante|Kumasi
lan|兰雪|Kunming
laila|Laila Mansour|Cairo
lars|Lars Nielsen|Odense
laura|Laura Gómez|Córdoba
layla|Layla Aziz|Casablanca
leo|Leo Martens|Ghent
leila|Leila Farahani|Isfahan
liam|Liam Murphy|Cork
lin|林悦|Xiamen
linh|Linh Nguyễn|Hà Nội
lucia|Lucía Herrera|Montevideo
luca|Luca Moretti|Verona
lukas|Lukáš Dvořák|Olomouc
maeve|Maeve Kelly|Dingle
magnus|Magnus Lund|Reykjavík
malik|Malik Johnson|Chicago
manon|Manon Dubois|Marseille
marco|Marco Esposito|Naples
maria|Maria Papadaki|Heraklion
marta|Marta Wójcik|Wrocław
mateo|Mateo Quispe|La Paz
maya|Maya Patel|Leicester
mei|梅子|Guilin
mia|Mia Sandoval|San Diego
mika|Mika Laine|Rovaniemi
milan|Milan Jovanović|Novi Sad
min|闵思远|Nanjing
mina|Mina Choi|Seoul
mohan|Mohan Iyer|Chennai
nadia|Nadia Rahimi|Samarkand
naomi|Naomi Levy|Tel Aviv
nasrin|Nasrin Akter|Sylhet
natalia|Natalia Reyes|Cartagena
ngozi|Ngozi Obi|Port Harcourt
nia|Nia Campbell|Kingston
nico|Nico Romano|Trieste
nikhil|Nikhil Joshi|Pune
nils|Nils Larsen|Stavanger
nina|Nina Kovač|Split
noor|Noor Abadi|Rotterdam
nour|Nour Khalil|Aleppo
olga|Olga Ivanova|Almaty
oliver|Oliver Grant|Brighton
olu|Olu Bankole|London
omar|Omar Benali|Marrakesh
oscar|Óscar Molina|San José
owen|Owen Pritchard|Cardiff
paulo|Paulo Ribeiro|Florianópolis
petra|Petra Novotná|Prague
priya|Priya Nair|Bengaluru
qing|秦青|Lhasa
quinn|Quinn Harper|Halifax
rafael|Rafael Souza|Ouro Preto
rania|Rania Saad|Aqaba
ravi|Ravi Gunasekara|Galle
rhea|Rhea Dsouza|Panaji
rin|Rin Fujita|Hakodate
rosa|Rosa Jiménez|Ronda
ruby|Ruby Nguyen|Melbourne
sam|Sam Taylor|Sheffield
samira|Samira Yusuf|Zanzibar
sana|Sana Malik|Karachi
santiago|Santiago Rojas|Medellín
sara|Sara Lindholm|Turku
selma|Selma Begić|Sarajevo
sofia|Sofía Acosta|Mendoza
soren|Søren Kristensen|Skagen
stefan|Stefan Marković|Belgrade
sven|Sven Richter|Dresden
tala|Tala Reyes|Cebu
tariq|Tariq Hussain|Bradford
thandi|Thandi Mbeki|Cape Town
theo|Theo Papadopoulos|Thessaloniki
tomas|Tomás Vidal|Ushuaia
uma|Uma Krishnan|Mysuru
valentina|Valentina Cruz|Quito
vera|Vera Schmidt|Basel
viktor|Viktor Horák|Košice
wen|文昊|Qingdao
xiao|肖然|Lijiang
yara|Yara Monteiro|Belém
yuki|Yuki Hayashi|Tokyo
yusuf|Yusuf Öztürk|Cappadocia
zara|Zara Ahmed|Birmingham
zoe|Zoe Dimitriou|Naxos
`

// crafts and habits make a bio: what somebody does, and then something about them.
var crafts = []string{
	"Landscape photographer", "Carpenter and weekend hiker", "Primary school teacher", "Nurse on night shifts", "Marine biologist",
	"Architect of small houses", "Baker, up before the sun", "Retired train driver", "Illustrator of children's books", "Gardener at the botanic garden",
	"Cartographer", "Bicycle mechanic", "Physics student", "Potter", "Cook in a very small kitchen",
	"Software engineer who would rather be outside", "Bookseller", "Mountain guide", "Textile designer", "Sailor between two harbours",
	"Astronomer by night", "Florist", "Translator", "Civil engineer, mostly bridges", "Street photographer",
	"Watercolour painter", "Veterinarian in the country", "Tile maker", "Journalist on a long break", "Geologist",
	"Librarian", "Violin maker", "Park ranger", "Furniture restorer", "Doctor and amateur botanist",
	"Graphic designer", "Ferry captain", "Weaver", "Historian of old cities", "Beekeeper",
}

var habits = []string{
	"I collect light.", "Mostly mountains, sometimes soup.", "Always looking for the next quiet beach.", "Two cats, one tripod.", "I pin what I want to paint one day.",
	"Trains over planes.", "Never without a thermos.", "Looking for the perfect blue.", "Walks a lot, gets lost often.", "Saving ideas for a house that may never be built.",
	"Early mornings only.", "If there is fog, I am out.", "I like patterns more than I can explain.", "Rain is not bad weather.", "Film on Sundays.",
	"Forests, ferns and good boots.", "Here for the night skies.", "Tea first.", "Learning to see slowly.", "One picture a day, or none.",
	"I was told there would be flowers.", "Cities after dark.", "Sand in every pocket.", "Grandmother of five, follower of many.", "Ask me about lichens.",
	"Everything looks better at dusk.", "Collects maps of places that changed their names.", "Father of twins; sleeps rarely.", "Far too many houseplants.", "On foot wherever possible.",
	"Curious about everything with an edge and a shadow.", "Planning the next long walk.", "Small boats, big horizons.", "I mend things.", "Still using my first lens.",
	"Happy above the tree line.", "Half of these are wallpapers, I admit.",
}

// bios are those of the people who have a Chinese name, and of those whom the tours meet.
var bios = map[string]string{
	"ann":   "Rain, moss and long exposures. Pins the places that she means to walk to.",
	"eric":  "Weekend sailor. Keeps a list of places to visit, and it only grows.",
	"chris": "Surfs before work, takes pictures after. Always a sea somewhere.",
	"mia":   "Looks after this place. Tell me if something is off; I read every report.",
	"lin":   "住在海边，喜欢清晨的光和安静的海。",
	"bo":    "周末爬山，平时喝茶。",
	"dong":  "东北的雪，南方的花，都想拍。",
	"fang":  "园林、花窗和老房子。",
	"gu":    "城市夜行者，相机不离手。",
	"hao":   "学建筑的，收集各种图案。",
	"jia":   "西湖边的插画师，养一只橘猫。",
	"jin":   "海风、灯塔、旧船。",
	"jun":   "厨师，也拍夜色。",
	"lan":   "高原上的花比城里开得晚。",
	"mei":   "山水之间，慢慢走。",
	"min":   "天文爱好者，追银河的人。",
	"qing":  "雪山下的摄影师。",
	"wen":   "程序员，想住进森林里。",
	"xiao":  "在古城开一间小客栈。",
}
