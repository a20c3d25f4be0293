# ruff: noqa: E501 - a sentence a line
"""Real sentences in many languages: a query, a page about it, and pages that share a word with it.

Each sample is the language, the query, the page about it, and two distractors of which each has a
word of the query, or a part of one, and another topic. Written for these tests.
"""

from __future__ import annotations

from typing import NamedTuple


class Sample(NamedTuple):
    """A query with pages, in one language."""

    language: str
    query: str
    relevant: str
    distractors: tuple[str, str]


SAMPLES = [
    Sample("de", "Korallenbleiche",
           "Steigt die Temperatur des Meeres, so verlieren Korallen ihre Algen; die Bleiche ganzer Riffe ist die Folge.",
           ("Der Juwelier verkauft Ketten aus roten Korallen und Perlen an Gäste des Hotels.",
            "Nach der Bleiche im Friseursalon sind die Haare trocken und brauchen viel Pflege.")),
    Sample("nl", "zeespiegelstijging",
           "Door het smelten van ijs is de stijging van de spiegel van de zee langs onze kust sneller dan vroeger.",
           ("De spiegel in de badkamer is gebroken en moet morgen vervangen worden.",
            "De stijging van de huurprijzen maakt wonen in de stad te duur.")),
    Sample("sv", "havsförsurning",
           "När koldioxid löser sig i havet leder försurning av vattnet till att musslor växer sämre.",
           ("Vi hyrde en stuga vid havet och badade varje dag hela sommaren.",
            "Läraren talade om försurning av åkermark i en kurs om jordbruk.")),
    Sample("fi", "merenpinnan nousu",
           "Jäätiköiden sulaessa merenpinta nousee, ja pinnan nousu uhkaa rannikon kaupunkeja.",
           ("Pöydän pinta on naarmuuntunut, joten se pitää hioa ja maalata uudelleen.",
            "Palkkojen nousu oli viime vuonna hitaampaa kuin hintojen.")),
    Sample("fr", "blanchiment des coraux",
           "Le BLANCHIMENT des coraux s’aggrave : l’océan se réchauffe et le corail perd ses algues.",
           ("Le blanchiment d’argent est puni par la loi dans tous les pays de l’Union.",
            "Des colliers de corail se vendent au marché de la vieille ville.")),
    Sample("es", "acidificacion del oceano",
           "La acidificación del océano daña las conchas de los moluscos y los arrecifes de coral.",
           ("El hotel tiene vistas al océano, piscina y un restaurante abierto todo el año.",
            "La acidificación del estómago causa dolor después de una comida pesada.")),
    Sample("pl", "bielenie raf koralowych",
           "Bielenie rafy koralowej zaczyna się, gdy woda jest zbyt ciepła i koralowce tracą glony.",
           ("Bielenie ścian w starym domu zajęło robotnikom dwa dni.",
            "Koralowy naszyjnik babci leży w szufladzie obok zegarka.")),
    Sample("ru", "обесцвечивание кораллов",
           "Обесцвечивание кораллов происходит, когда вода ещё теплее обычного, и коралл теряет водоросли.",
           ("Обесцвечивание волос вредит коже головы, предупреждают парикмахеры.",
            "Бусы из красных кораллов носили ещё наши бабушки.")),
    Sample("el", "λεύκανση κοραλλιών",
           "Η ΛΕΥΚΑΝΣΗ ΤΩΝ ΚΟΡΑΛΛΙΩΝ συνεχίζεται όσο θερμαίνεται η θάλασσα και το κοράλλι χάνει τα φύκια.",
           ("Η λεύκανση των δοντιών γίνεται από τον οδοντίατρο σε μία επίσκεψη.",
            "Πουλάει κοσμήματα από κοράλλι στην αγορά του νησιού.")),
    Sample("tr", "mercan ağarması",
           "MERCAN AĞARMASI, deniz suyu ısındığında mercanların yosunlarını yitirmesiyle başlar.",
           ("Mercan balığı ızgarada limonla birlikte servis edilir.",
            "Saçların ağarması yaşla birlikte başlayan doğal bir olaydır.")),
    Sample("ar", "ابيضاض المرجان",
           "يحدث ابْيِضاضُ المـــرجان عندما ترتفع حرارة البحر وتفقد الشعاب المرجانية طحالبها.",
           ("علاج ابيضاض الدم يحتاج إلى رعاية طويلة في المستشفى.",
            "تبيع المرأة قلائد من المرجان الأحمر في السوق القديمة.")),
    Sample("fa", "سفید شدن مرجان‌ها",
           "با گرم شدن آب دریا سفید شدن مرجان ها آغاز می شود و مرجان‌ها جلبک خود را از دست می‌دهند.",
           ("برای سفید شدن دندان باید به دندان پزشک مراجعه کرد.",
            "گردنبند مرجان در بازار شهر به گردشگران فروخته می شود.")),
    Sample("he", "הלבנת אלמוגים",
           "הלבנת אַלְמֻגִּים מתרחשת כאשר הים מתחמם; הלבנת אלמוגים פוגעת בשוניות.",
           ("הלבנת שיניים היא טיפול נפוץ אצל רופא השיניים.",
            "שרשרת אלמוגים אדומה נמכרת בשוק העתיקות.")),
    Sample("hi", "हिन्द महासागर में प्रवाल विरंजन",
           "हिंद महासागर का जल गर्म होने पर प्रवाल विरंजन होता है और प्रवाल के शैवाल नष्ट हो जाते हैं।",
           ("हिन्द केसरी की कुश्ती में पहलवान ने पदक जीता।",
            "प्रवाल की माला ज्योतिषी ने बाज़ार से मँगवाई।")),
    Sample("th", "ปะการังฟอกขาว",
           "เมื่อน้ำทะเลอุ่นขึ้น ปะการังฟอกขาวเกิดขึ้นทั่วแนวปะการัง เพราะปะการังสูญเสียสาหร่าย",
           ("ร้านขายสร้อยคอที่ทำจากปะการังให้นักท่องเที่ยวในตลาด",
            "ยาสีฟันฟอกขาวช่วยให้ฟันดูสะอาดขึ้นในสองสัปดาห์")),
    Sample("lo", "ພະລັງງານລົມ",
           "ໂຄງການພະລັງງານລົມຜະລິດໄຟຟ້າຈາກລົມ ແລະ ພະລັງງານລົມບໍ່ກໍ່ມົນລະພິດ",
           ("ອາຫານໃຫ້ພະລັງງານແກ່ຮ່າງກາຍຂອງເດັກນ້ອຍ",
            "ມື້ນີ້ລົມແຮງ ແລະ ຝົນຕົກໃນພາກເໜືອ")),
    Sample("km", "ថាមពលខ្យល់",
           "ថាមពលខ្យល់ផលិតអគ្គិសនីពីខ្យល់ ហើយថាមពលខ្យល់មិនបំពុលបរិស្ថានទេ",
           ("អាហារផ្តល់ថាមពលដល់រាងកាយរបស់កុមារ",
            "ថ្ងៃនេះមានខ្យល់បក់ខ្លាំងនៅភាគខាងជើង")),
    Sample("ja", "サンゴの白化",
           "海水温が上がるとサンゴの白化が起こり、褐虫藻を失ったｻﾝｺﾞは死んでしまう。",
           ("赤いサンゴのネックレスは高知の名産として売られている。",
            "歯の白化を望む人は歯科医院で相談するとよい。")),
    Sample("zh", "珊瑚白化",
           "海水升温时，珊瑚白化会在整片礁区发生，珊瑚失去共生藻类。",
           ("商店里出售红珊瑚项链和珍珠耳环给游客。",
            "毛发白化是随年龄增长的自然现象。")),
    Sample("ko", "산호 백화",
           "바닷물이 따뜻해지면 산호의 백화 현상이 나타나고 산호는 조류를 잃는다.",
           ("붉은 산호로 만든 목걸이를 시장에서 판다.",
            "백화점은 주말에 늦게까지 문을 연다.")),
]  # fmt: skip
