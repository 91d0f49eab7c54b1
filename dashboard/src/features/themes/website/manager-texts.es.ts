import { capital } from '../../../lib/figures.ts';

const colourNames = {
  pink: 'rosa',
  red: 'rojo',
  orange: 'naranja',
  amber: 'ámbar',
  yellow: 'amarillo',
  lime: 'lima',
  green: 'verde',
  teal: 'verde azulado',
  cyan: 'cian',
  blue: 'azul',
  violet: 'violeta',
  purple: 'morado',
  magenta: 'magenta',
  brown: 'marrón',
  white: 'blanco',
  black: 'negro',
  grey: 'gris',
};

/** Where a colour was found on a website. */
const evidence = {
  logo: 'logotipo',
  manifest: 'manifiesto',
  'custom property {1}': 'propiedad personalizada {1}',
  '{1} background': 'fondo {1}',
  '{1} colour': 'color {1}',
  body: 'de la página',
  header: 'del encabezado',
  nav: 'de la navegación',
  hero: 'de la portada',
  main: 'del contenido',
  footer: 'del pie de página',
  button: 'de los botones',
  link: 'de los enlaces',
  heading: 'de los títulos',
  element: 'de otro elemento',
};

/** Texts of the manager about logos and about suggestions for a theme. */
export const managerTexts = {
  refusals: {
    'Must be a PNG, JPEG, WebP or SVG picture; by its content it is none of them':
      'debe ser una imagen PNG, JPEG, WebP o SVG; por su contenido no es ninguna de ellas',
    'Must not be animated': 'no debe ser una imagen animada',
    'Could not be read: the picture is damaged or cut short': 'no se pudo leer; la imagen está dañada o incompleta',
    'Is empty': 'está vacío',
  },
  colourNames,
  suggestedNames: {
    'Website {1}': '{1} del sitio web',
    'Deep {1}': '{1} intenso',
    'Bright {1}': '{1} vivo',
    'Leading {1}': '{1} dominante',
    'Neighbouring {1}': '{1} vecino',
    'Calm {1}': '{1} tranquilo',
    'Theme in {1}': 'tema en {1}',
    ...colourNames,
  },
  descriptions: {
    '{1}, {2} supports it': '{1}, con el {2} como apoyo',
    'The website’s second colour leads': 'Domina el segundo color del sitio web',
    'A hue adjacent to the website’s leads': 'Domina un tono vecino al del sitio web',
    'A muted {1} for long hours; the website’s colour is the accent':
      'Un {1} apagado para muchas horas de uso; el color del sitio web es el acento',
    'The website’s {1} with {2}': 'El {1} del sitio web con {2}',
    'a quiet second colour': 'un segundo color discreto',
    'The website’s {1}, {2}': 'El {1} del sitio web, {2}',
    'darkened so that white text on it is easy to read': 'oscurecido para que el texto blanco se lea bien',
    'lightened as far as white text on it can be read': 'aclarado hasta donde el texto blanco todavía se lee',
    '{1} with {2}': '{1} con {2}',
    '{1} and {2}': '{1} y {2}',
    ...colourNames,
    ...Object.fromEntries(Object.entries(colourNames).map(([name, spanish]) => [capital(name), capital(spanish)])),
  },
  reasoning: {
    'Made by built-in rules; no AI provider is set.':
      'Propuesto por reglas integradas; no hay ningún proveedor de IA configurado.',
    'Made by built-in rules, in addition to those of the AI provider.':
      'Propuesto por reglas integradas, además de los temas del proveedor de IA.',
    'Made by built-in rules only.': 'Propuesto solo por reglas integradas.',
    '{1} is the colour that the website uses most as its brand’s ({2}).':
      '{1} es el color que el sitio web más usa como color de su marca ({2}).',
    'No colour but greys was found in the website’s HTML and style sheets (what its scripts draw is not read); the suggestions begin with Tenantry’s default colour.':
      'En el HTML y las hojas de estilo del sitio web solo se encontraron grises (lo que dibujan sus scripts no se lee); las sugerencias parten del color predeterminado de Tenantry.',
    'The website has no second colour of its own: secondary and accent are made from the first.':
      'El sitio web no tiene un segundo color propio: el secundario y el acento se derivan del primero.',
    'Its lightness is changed for contrast; the hue stays.':
      'Se cambia su luminosidad para mejorar el contraste; el tono se conserva.',
    'White text on {1} has a contrast of {2}:1 only: dark text is needed there.':
      'El texto blanco sobre {1} tiene un contraste de solo {2}:1: ahí hace falta texto oscuro.',
    'Chosen by the AI provider from the colours found on the website{1}.':
      'Elegido por el proveedor de IA a partir de los colores encontrados en el sitio web{1}.',
    ' and its screenshot': ' y de su captura de pantalla',
    '{1} is not among the colours that the website’s style sheets name.':
      '{1} no está entre los colores que nombran las hojas de estilo del sitio web.',
    '{1} is the colour that the website uses most as its brand’s.':
      '{1} es el color que el sitio web más usa como color de su marca.',
    '{1} is close to the colour that the website uses most as its brand’s.':
      '{1} se parece al color que el sitio web más usa como color de su marca.',
    '{1} is one of the website’s colours.': '{1} es uno de los colores del sitio web.',
    '{1} is close to one of the website’s colours.': '{1} se parece a uno de los colores del sitio web.',
    '{1}, {2}': '{1}, {2}',
    ...evidence,
  },
  evidence,
  warnings: {
    '{1}: built-in rules suggested instead': '{1}: en su lugar, los temas se proponen con reglas integradas',
    'The screenshot failed: {1}': 'No se pudo hacer la captura de pantalla: {1}',
    '{1} {2} was left out: {3}': '{1} {2} se omitió: {3}',
    Stylesheet: 'La hoja de estilo',
    Manifest: 'El manifiesto',
    Logo: 'El logotipo',
    'more than {1} KB of stylesheets': 'más de {1} KB de hojas de estilo',
    'More than {1} stylesheets: the others were not read': 'Más de {1} hojas de estilo: las demás no se leyeron',
    'The manifest is no JSON of the usual form': 'El manifiesto no es un JSON con la forma habitual',
    'The page is nested too deeply: its end was not read':
      'La página tiene demasiados niveles anidados: su final no se leyó',
    'The page has too many elements: its end was not read': 'La página tiene demasiados elementos: su final no se leyó',
    'The style sheets are too complex to be read: only the colours in the page itself count':
      'Las hojas de estilo son demasiado complejas para leerlas: solo cuentan los colores de la propia página',
  },
};
