"""Compounds with their parts, and words that are not compounds.

`COMPOUNDS` and `SIMPLE` were written before the splitter, and `LATER` after it; the splitter's stop
lists and thresholds were then chosen with both in view, so neither list is an independent test.

A compound is right where it is cut, and only between its parts. The other words are simple words,
derivations with a prefix or a suffix, loan words and names: they must not be cut. Frequent and rare
words, and every linking element of each language, are among them.
"""

from __future__ import annotations

COMPOUNDS: dict[str, str] = {
    "de": """
        korallenbleiche=korallen+bleiche klimawandel=klima+wandel hauptbahnhof=haupt+bahnhof
        meeresspiegel=meeres+spiegel windkraftanlage=wind+kraft+anlage erdbeben=erd+beben
        schulbuch=schul+buch kinderarzt=kinder+arzt sonnenenergie=sonnen+energie
        wasserkraft=wasser+kraft tiefseebergbau=tief+see+berg+bau waldbrand=wald+brand
        lebensmittel=lebens+mittel arbeitsplatz=arbeits+platz umweltschutz=umwelt+schutz
        gletscherschmelze=gletscher+schmelze hochwasserschutz=hoch+wasser+schutz
        staatsanwalt=staats+anwalt krankenhaus=kranken+haus straßenbahn=straßen+bahn
        kohlekraftwerk=kohle+kraft+werk regenwald=regen+wald fischbestand=fisch+bestand
        küstenschutz=küsten+schutz vogelgrippe=vogel+grippe autobahnbrücke=auto+bahn+brücke
        zeitungsartikel=zeitungs+artikel gesundheitswesen=gesundheits+wesen
        energiewende=energie+wende artenschutz=arten+schutz bienensterben=bienen+sterben
        stromnetz=strom+netz bodenerosion=boden+erosion wetterbericht=wetter+bericht
        trinkwasser=trink+wasser fahrradweg=fahr+rad+weg sicherheitslücke=sicherheits+lücke
        datenschutz=daten+schutz forschungsschiff=forschungs+schiff walfang=wal+fang
    """,
    "nl": """
        koraalverbleking=koraal+verbleking klimaatverandering=klimaat+verandering
        zeespiegel=zee+spiegel windmolenpark=wind+molen+park aardbeving=aard+beving
        schoolboek=school+boek kinderarts=kinder+arts
        waterkracht=water+kracht bosbrand=bos+brand levensverzekering=levens+verzekering
        arbeidsmarkt=arbeids+markt milieubeleid=milieu+beleid ziekenhuis=zieken+huis
        regenwoud=regen+woud kustbescherming=kust+bescherming vogelgriep=vogel+griep
        krantenartikel=kranten+artikel gezondheidszorg=gezondheids+zorg
        energietransitie=energie+transitie zonnepaneel=zonne+paneel stroomnet=stroom+net
        weerbericht=weer+bericht drinkwater=drink+water fietspad=fiets+pad
        veiligheidslek=veiligheids+lek gegevensbescherming=gegevens+bescherming
        onderzoeksschip=onderzoeks+schip walvisvangst=wal+vis+vangst treinstation=trein+station
        luchtvervuiling=lucht+vervuiling bijensterfte=bijen+sterfte
        kerncentrale=kern+centrale gemeenteraad=gemeente+raad stadsbestuur=stads+bestuur
        voetbalwedstrijd=voetbal+wedstrijd huisdier=huis+dier zeehond=zee+hond
        plasticsoep=plastic+soep
    """,
    "sv": """
        korallblekning=korall+blekning klimatförändring=klimat+förändring havsnivå=havs+nivå
        vindkraftverk=vind+kraft+verk jordbävning=jord+bävning skolbok=skol+bok
        barnläkare=barn+läkare solenergi=sol+energi vattenkraft=vatten+kraft
        skogsbrand=skogs+brand livsmedel=livs+medel arbetsplats=arbets+plats
        miljöskydd=miljö+skydd sjukhus=sjuk+hus regnskog=regn+skog kustskydd=kust+skydd
        fågelinfluensa=fågel+influensa tidningsartikel=tidnings+artikel
        hälsovård=hälso+vård energiomställning=energi+omställning solpanel=sol+panel
        elnät=el+nät väderprognos=väder+prognos dricksvatten=dricks+vatten
        cykelväg=cykel+väg säkerhetslucka=säkerhets+lucka dataskydd=data+skydd
        forskningsfartyg=forsknings+fartyg valfångst=val+fångst tågstation=tåg+station
        luftförorening=luft+förorening kärnkraft=kärn+kraft kommunstyrelse=kommun+styrelse
        fotbollsmatch=fotbolls+match husdjur=hus+djur fiskbestånd=fisk+bestånd
        havsförsurning=havs+försurning gruvdrift=gruv+drift skolgård=skol+gård
        isbjörn=is+björn
    """,
    "fi": """
        korallivalkaisu=koralli+valkaisu ilmastonmuutos=ilmaston+muutos merenpinta=meren+pinta
        tuulivoima=tuuli+voima maanjäristys=maan+järistys koulukirja=koulu+kirja
        lastenlääkäri=lasten+lääkäri aurinkoenergia=aurinko+energia vesivoima=vesi+voima
        metsäpalo=metsä+palo elintarvike=elin+tarvike työpaikka=työ+paikka
        ympäristönsuojelu=ympäristön+suojelu sairaalahoito=sairaala+hoito
        sademetsä=sade+metsä rannikkoseutu=rannikko+seutu lintuinfluenssa=lintu+influenssa
        sanomalehti=sanoma+lehti terveydenhuolto=terveyden+huolto
        energiamuutos=energia+muutos aurinkopaneeli=aurinko+paneeli sähköverkko=sähkö+verkko
        sääennuste=sää+ennuste juomavesi=juoma+vesi pyörätie=pyörä+tie
        tietoturva=tieto+turva tietosuoja=tieto+suoja tutkimusalus=tutkimus+alus
        rautatieasema=rauta+tie+asema ilmansaaste=ilman+saaste ydinvoima=ydin+voima
        kaupunginhallitus=kaupungin+hallitus jalkapallo=jalka+pallo kotieläin=koti+eläin
        kalakanta=kala+kanta meriveden=meri+veden kaivosteollisuus=kaivos+teollisuus
        jääkarhu=jää+karhu kirjakauppa=kirja+kauppa
    """,
}  # fmt: skip

SIMPLE: dict[str, str] = {
    "de": """
        universität regierung gesellschaft wirtschaft mannschaft freundschaft wissenschaft freiheit
        sicherheit möglichkeit beratung bedeutung entwicklung verbindung verkehr vergangenheit
        information kommission parlament programm industrie interesse maschine temperatur
        demokratie technologie geschichte gesundheit ergebnis verhältnis unternehmen übersetzung
        aufgenommen zusammen überraschung untersuchung wirklich natürlich persönlich
        elefant schmetterling koralle gletscher dinosaurier hamburg schweiz österreich
        amerikanisch fotografieren minister literatur religion expedition antarktis
        angreifen anderen besonders sondern gegenüber vorstellung
    """,
    "nl": """
        universiteit regering maatschappij vriendschap wetenschap vrijheid veiligheid mogelijkheid
        betekenis ontwikkeling verbinding verkeer verleden informatie commissie parlement programma
        industrie interesse machine temperatuur democratie technologie geschiedenis gezondheid
        resultaat verhouding onderneming vertaling opgenomen samen verrassing onderzoek werkelijk
        natuurlijk persoonlijk olifant vlinder koraal gletsjer dinosaurus amsterdam rotterdam
        nederland amerikaans fotograferen minister literatuur religie expeditie antarctica
        aangenomen anderen bijzonder tegenover voorstelling uitstekend gemeenschap
    """,
    "sv": """
        universitet regering sällskap vänskap vetenskap frihet säkerhet möjlighet betydelse
        utveckling förbindelse trafik förflutna information kommission parlament program industri
        intresse maskin temperatur demokrati teknologi historia hälsa resultat förhållande företag
        översättning upptagen tillsammans överraskning undersökning verkligen personlig
        elefant fjäril korall glaciär dinosaurie göteborg stockholm sverige amerikansk fotografera
        minister litteratur religion expedition antarktis andra särskilt föreställning
        gemenskap konstnär lärare vattnet skogen
    """,
    "fi": """
        yliopisto hallitus ystävyys tiede vapaus turvallisuus mahdollisuus merkitys
        kehitys yhteys liikenne menneisyys informaatio komissio parlamentti ohjelma teollisuus
        kiinnostus kone demokratia teknologia historia terveys tulos suhde yritys käännös
        yhdessä yllätys tutkimus todella luonnollisesti elefantti perhonen
        koralli jäätikkö dinosaurus helsinki tampere amerikkalainen ministeri
        kirjallisuus uskonto muiden erityisesti vastapäätä esitys taiteilija
        opettaja taloudellinen merkittävä suomalainen kaupungissa talossa
    """,
}

LATER: dict[str, tuple[str, str]] = {
    "de": (
        """atommüll=atom+müll ozonloch=ozon+loch eisbär=eis+bär sprachkurs=sprach+kurs
        geldwäsche=geld+wäsche bücherregal=bücher+regal herzinfarkt=herz+infarkt
        lungenkrebs=lungen+krebs weltraumteleskop=welt+raum+teleskop mietvertrag=miet+vertrag
        rentenversicherung=renten+versicherung weinbau=wein+bau dampfmaschine=dampf+maschine
        bürgerkrieg=bürger+krieg honigbiene=honig+biene flussdelta=fluss+delta""",
        """krokodil vulkan theater chemie professor ordnung hoffnung erinnerung verantwortung
        ausbildung bewegung erfahrung lehrer spielerin kleinigkeit einsamkeit gemeinde
        musikalisch politisch medizinisch argentinien düsseldorf bekommen verstehen entscheiden
        vegetarisch automatisch algorithmus molekular bakterien""",
    ),
    "nl": (
        """kernafval=kern+afval ijsbeer=ijs+beer taalcursus=taal+cursus boekenkast=boeken+kast
        hartaanval=hart+aanval longkanker=long+kanker ruimtetelescoop=ruimte+telescoop
        huurcontract=huur+contract pensioenfonds=pensioen+fonds wijnbouw=wijn+bouw
        stoommachine=stoom+machine burgeroorlog=burger+oorlog honingbij=honing+bij
        rivierdelta=rivier+delta geldautomaat=geld+automaat dijkversterking=dijk+versterking""",
        """krokodil vulkaan theater scheikunde professor orde verwachting herinnering
        verantwoordelijk opleiding beweging ervaring lerares kleinigheid eenzaamheid gemeente
        muzikaal politiek medisch argentinië eindhoven ontvangen verstaan beslissen vegetarisch
        automatisch algoritme moleculair bacteriën bestuurder""",
    ),
    "sv": (
        """kärnavfall=kärn+avfall språkkurs=språk+kurs bokhylla=bok+hylla hjärtinfarkt=hjärt+infarkt
        lungcancer=lung+cancer rymdteleskop=rymd+teleskop hyresavtal=hyres+avtal
        pensionsfond=pensions+fond vinodling=vin+odling ångmaskin=ång+maskin
        inbördeskrig=inbördes+krig honungsbi=honungs+bi floddelta=flod+delta
        pengatvätt=penga+tvätt havsörn=havs+örn snöskoter=snö+skoter""",
        """krokodil vulkan teater kemi professor ordning förväntan minne ansvar utbildning rörelse
        erfarenhet lärarinna småsak ensamhet kommun musikalisk politisk medicinsk argentina
        linköping förstå besluta vegetarisk automatisk algoritm molekylär bakterier styrelse
        vänlighet""",
    ),
    "fi": (
        """ydinjäte=ydin+jäte jääpeite=jää+peite kielikurssi=kieli+kurssi kirjahylly=kirja+hylly
        sydänkohtaus=sydän+kohtaus keuhkosyöpä=keuhko+syöpä avaruusteleskooppi=avaruus+teleskooppi
        vuokrasopimus=vuokra+sopimus eläkerahasto=eläke+rahasto viininviljely=viinin+viljely
        höyrykone=höyry+kone sisällissota=sisällis+sota rahanpesu=rahan+pesu merikotka=meri+kotka
        moottorikelkka=moottori+kelkka hiilidioksidi=hiili+dioksidi""",
        """krokotiili teatteri kemia professori järjestys odotus muistaa vastuullinen
        koulutus liike kokemus opettajatar yksinäisyys kunta musiikillinen poliittinen
        argentiina jyväskylä ymmärtää päättää automaattinen algoritmi
        molekyyli bakteerit johtaja ystävällisyys rakennuksessa""",
    ),
}
"""More compounds and simple words, written down and tried when the splitter was finished."""
