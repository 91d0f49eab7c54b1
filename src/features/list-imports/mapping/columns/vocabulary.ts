/**
 * The words that headers of contact lists are made of: the form that the rules speak of, then the other ways it is
 * written (abbreviations, Spanish, some French, German and Portuguese; lower case, without accents). Collected from states' voter files and from
 * exports of CRMs, mail and event services and address books. A word that is missing makes a suggestion less certain only.
 */
const words = `
first: frst fst 1st; last: lst; middle: mid mdl mi segundo; initial: init initials inicial; given: christian; family: fam
name: nm nme nam names; fname: fn vorname forename forenames firstnm prenom prenoms; lname: ln nachname surname surnames lastnm sname sobrenome; mname: mn middlenm
nombre: nombres nome; apellido: apellidos; paterno; materno; nom; full: completo complete whole entire; display
suffix: sfx suf suff sufx sufijo; prefix: pfx pref1 prefijo; salutation: honorific greeting addressee tratamiento sal anrede
nickname: nick apodo aka alias; maiden: former formerly; phonetic; title: titulo titles; legal; goes

address: addr adr addrs adress addres adresse addresses direccion domicilio endereco adressen; add; street: str strt calle rue strasse straße; st
line: linea lines; house: hse hs blk haus; hausnummer; civic; number: num no nbr nr nmbr numb numero nos; half: frac fraction fractional halfcode
direction: dir directional predirection predir predirectional postdirection postdir postdirectional; pre; post
type: typ tipo kind; designator; unit: unidad ste suite; apartment: apt apts aptmt apto depto apartamento appt extension
building: bldg edificio; lot; floor; box; secondary: sec; extra: extended additional supplemental; formatted: format
city: ort ciudad ciudades cit ville localidad cidade stadt wohnort; town: posttown twn; municipality: muni mun municipio municipal
locality: comunidad suburb; village; township: twp twnshp; jurisdiction: juris; state: estado edo; province: prov provincia bundesland kanton
abbreviated: abbr abbrv abbrev abbreviation; region; zip: zp zipcd zipcode zcode postcode cp postalcode plz postleitzahl cep; postal: pstl postale
code: codes codigo cde; plus; county: cnty cnt condado parish parroquia landkreis; cty; country: ctry cntry pais
residence: res rs resi resid residential resident reg registered domicile permanent perm physical residencia
home: hm hom casa particular hogar privat; mailing: mail mailed correspondence mlg; billing: bill invoice; shipping: ship delivery
work: business bus office company employer trabajo oficina wrk wk organization organisation org empresa negocio corporate firma geschaftlich
other: otra otro otros otras alternate alternative alt additionally; temporary: temp seasonal absentee absent av
previous: prev prior old bad invalid disconnected wrong past anterior; preferred: pref best favorite preferido; primary: main principal default prim

phone: ph phn tel tele telephone fone telefono telefon telefone telephones phones phonenumber telf; cell: cel cellular mobile mob movil celular wireless mobiltelefon handy
sms: texting whatsapp; landline: landln fixed fijo; daytime: day; evening: eve night; fax; pager: beeper; area; ext
email: emails emial eml courriel emailaddress; e; correo; electronico: messagerie elettronica eletronico

congress: congressional cong cng congr congresional; us: usa united federal fed; representative: rep reps representatives
district: dist dst distr distrito districts; senate: sen senator senatorial; assembly: assm asm assmb assem
legislative: leg legis legislature; precinct: pct prec pcnct prcnct prct precnt pcts precincts casilla precinto recinto
election: elect elections electoral; polling: poll polls; ward: wards; voting: vote voted votes; portion: part split sub
pc: pco; captain: capt; role: rol position; status: stat estatus sts stts; party: pty partido parties; affiliation: affil aff
whip; support: supp supporting apoyo; level: lvl nivel lev; score: scr rating rank; candidate: cand candidato; intention: intent lean leaning
inferred: modeled modelled predicted estimated likely; activist

notes: cmt cmts cmnts note nts notas nota comment comments remark remarks observaciones observacion comentarios comentario memo rmks anmerkungen notizen bemerkungen observacoes
tags: tag etiqueta etiquetas tagged; label: labels lbl; category: categories categoria categorias kategorien cat
group: groups grupo grupos gruppen; keywords: keyword; segments: segment; list: lists lista listas; description: descripcion

birth: birthdate birthday bday dob bdate born geburtstag geburtsdatum cumpleanos nacimiento birthplace; date: dt fecha dte dates; year: yr ano; month: mo mes
age: edad; sex: gender genero sexo gndr; race: raza ethnicity ethnic; language: lang idioma languages; married: marital
spouse: partner conyuge husband wife; emergency: emerg emergencia; parent: guardian tutor; father: padre; mother: madre; children: kids child student students pupil player camper; physician: doctor; coowner
registration: regis registr enrollment enrolled; id: ids ident identification identifier key uid sid; guid: uuid
van: vanid; row: fila rows; index: idx; created: create creation added entered inserted; deleted: removed; converted; moved
updated: update modified changed change edited touched modification; time: timestamp hora ts datetime; by; at; on
amount: amt total paid pledge; donation: donations gift gifts contribution contributions; event: evento events
location: venue; organizer; recipient; agent: agents; caller: callers; tenant: tenants renter; landlord: landlords; latitude: lat; longitude: long lng lon; school: schl sch; council: councilor
commissioner: commission comm commissioners; court: courts; judicial: judge; police; fire; library; water; supervisor: supervisory supervisoral supervisors
source: src origen; reason; method: mode; flag: ind indicator flg; history: hist; effective: eff; carrier; route; division: div
opt: optin optout opted subscribed unsubscribed subscription subscribe consent unsub; household: hh; former
url: urls website webpage link facebook twitter instagram linkedin; web; ip; password: pwd passwd; hash; photo: image picture avatar
military; account: acct; owner: assigned; count: qty quantity; campaign; ticket: barcode coupon; order; card; check; payment
receipt; transaction; confidence: accuracy verified; manager; assistant; medical; custom; question; mcd; fips; geoid: geo geocode
census: tract block; confirmed: confirm confirmation; hispanic; occupation: job profession cargo puesto occup; department: dept
shift; reference: ref referred referrer; version; required: req; eligible; dues; profile; standard: std standardized standardised clean cleaned normalized normalised; non: nonstd; unlisted; community; is: are; has: have; was; do; not

voter: voters vtr votante elector electors registrant vf vb voterbase tsmart; contact: contacto contacts; person: persona people
member: mbr miembro socio membership members hoh; donor: contributor giver; attendee: participant; customer: client cliente
subscriber; lead: leads; constituent; employee: employees; applicant: applicants; guest: guests; patron; respondent; signer; volunteer: vol volunteers voluntario; signup; user: usr; buyer: purchaser payer
value: valor val; desc: txt; of: de del da du; the: el la los las le les; or: o ou; and: y et; your: my our; print: printed; information: info details; what: which where whats; live: lives living reside; please; to; reach
you; enter; current; for: para; in: en; from: desde; use`;

const canonicalOf = new Map<string, string>();
for (const entry of words.split(/[;\n]+/)) {
  const [word = '', forms = ''] = entry.trim().split(':');
  for (const form of [word, ...forms.trim().split(' ')]) {
    if (form !== '' && !canonicalOf.has(form)) canonicalOf.set(form, word);
  }
}

/** The form the rules speak of; undefined for a word that is not in the vocabulary. */
export const canonical = (word: string): string | undefined => canonicalOf.get(word);

/** Every written form of every word. */
export const writtenForms: readonly string[] = [...canonicalOf.keys()];
