/** Words that stand in the headers of contact lists, English and Spanish, and seldom in their data. */
const words = new Set(
  `name names first last middle maiden nick full suffix prefix salutation fname lname mname given surname family
  email mail phone telephone tel mobile cell fax home work
  address addr street city town state zip zipcode zip4 postal postcode county country region apt unit
  precinct pct district ward party congressional legislative senate house
  gender sex age birth birthday birthdate dob born race ethnicity language
  date time created updated modified year registered registration
  id ids number num no code key uuid guid vanid row record
  note notes comment comments remarks description tag tags status type title role category group list source
  company organization organisation employer occupation job website url amount donation total
  voter volunteer member contact person household latitude longitude lat lon lng
  nombre nombres apellido apellidos correo electronico telefono telefonos celular movil direccion calle ciudad estado
  codigo postal condado pais fecha nacimiento genero sexo edad partido distrito precinto notas comentarios etiquetas`.split(
    /\s+/,
  ),
);

/** More words than a header has: a sentence, an address. */
const mostWords = 6;

/** Whether a cell reads like a header: `ZIP Code`, `first_name`, `Teléfono móvil`. */
export function readsLikeHeader(cell: string): boolean {
  if (/^\s*\d/.test(cell)) return false;
  const parts = cell
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((part) => part !== '');
  return (
    parts.length <= mostWords && parts.some((part) => words.has(part) || words.has(part.replace(/(?<!\d)\d+$/, '')))
  );
}
