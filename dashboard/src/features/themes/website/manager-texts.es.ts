const colours: Record<string, string> = {
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
const colour = (name: string | undefined): string => colours[name?.toLowerCase() ?? ''] ?? name ?? '';
const isColour = (name: string | undefined): boolean =>
  name === undefined || Object.hasOwn(colours, name.toLowerCase());
const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

const names: Record<string, (of: string) => string> = {
  Website: (of) => `${of} del sitio web`,
  Deep: (of) => `${of} intenso`,
  Bright: (of) => `${of} vivo`,
  Leading: (of) => `${of} dominante`,
  Neighbouring: (of) => `${of} vecino`,
  Calm: (of) => `${of} tranquilo`,
  'Theme in': (of) => `tema en ${of}`,
};

/** The name of a suggested theme; names by an AI provider stay as they are. */
export function suggestedName(name: string): string {
  const [, kind = '', of = ''] = /^(.{4,12}) ([a-z]+)$/.exec(name) ?? [];
  const spanish = names[kind];
  return spanish && isColour(of) ? capital(spanish(colour(of))) : name;
}

/** Sentences of the built-in rules; `$1` is replaced, a colour's name or its evidence in Spanish. */
const sentences: readonly [RegExp, string][] = [
  [/^The website’s ([a-z]+) with a quiet second colour$/, 'El $1 del sitio web con un segundo color discreto'],
  [/^The website’s ([a-z]+) with ([a-z]+)$/, 'El $1 del sitio web con $2'],
  [
    /^The website’s ([a-z]+), darkened so that white text on it is easy to read$/,
    'El $1 del sitio web, oscurecido para que el texto blanco se lea bien',
  ],
  [
    /^The website’s ([a-z]+), lightened as far as white text on it can be read$/,
    'El $1 del sitio web, aclarado hasta donde el texto blanco todavía se lee',
  ],
  [
    /^The website’s second colour leads, ([a-z]+) supports it$/,
    'Domina el segundo color del sitio web, con el $1 como apoyo',
  ],
  [
    /^A hue adjacent to the website’s leads, ([a-z]+) supports it$/,
    'Domina un tono vecino al del sitio web, con el $1 como apoyo',
  ],
  [
    /^A muted ([a-z]+) for long hours; the website’s colour is the accent$/,
    'Un $1 apagado para muchas horas de uso; el color del sitio web es el acento',
  ],
  [
    /^Made by built-in rules; no AI provider is set\./,
    'Propuesto por reglas integradas; no hay ningún proveedor de IA configurado.',
  ],
  [
    /^Made by built-in rules, in addition to those of the AI provider\./,
    'Propuesto por reglas integradas, además de los temas del proveedor de IA.',
  ],
  [/^Made by built-in rules only\./, 'Propuesto solo por reglas integradas.'],
  [
    /(#[\dA-F]{6}) is the colour that the website uses most as its brand’s \(([^)]{0,250})\)\./,
    '$1 es el color que el sitio web más usa como color de su marca ($2).',
  ],
  [
    /No colour but greys was found in the website’s HTML and style sheets \(what its scripts draw is not read\); the suggestions begin with Tenantry’s default colour\./,
    'En el HTML y las hojas de estilo del sitio web solo se encontraron grises (lo que dibujan sus scripts no se lee); las sugerencias parten del color predeterminado de Tenantry.',
  ],
  [
    /The website has no second colour of its own: secondary and accent are made from the first\./,
    'El sitio web no tiene un segundo color propio: el secundario y el acento se derivan del primero.',
  ],
  [
    /Its lightness is changed for contrast; the hue stays\./,
    'Se cambia su luminosidad para mejorar el contraste; el tono se conserva.',
  ],
  [
    /White text on (#[\dA-F]{6}) has a contrast of (\d{1,2})\.(\d):1 only: dark text is needed there\./,
    'El texto blanco sobre $1 tiene un contraste de solo $2,$3:1: ahí hace falta texto oscuro.',
  ],
  [
    /^Chosen by the AI provider from the colours found on the website\./,
    'Elegido por el proveedor de IA entre los colores encontrados en el sitio web.',
  ],
  [
    /^Chosen by the AI provider from the colours found on the website and its screenshot\./,
    'Elegido por el proveedor de IA a partir de los colores encontrados en el sitio web y de su captura de pantalla.',
  ],
  [
    /(#[\dA-F]{6}) is the colour that the website uses most as its brand’s\.$/,
    '$1 es el color que el sitio web más usa como color de su marca.',
  ],
  [
    /(#[\dA-F]{6}) is close to the colour that the website uses most as its brand’s\.$/,
    '$1 se parece al color que el sitio web más usa como color de su marca.',
  ],
  [/(#[\dA-F]{6}) is one of the website’s colours\.$/, '$1 es uno de los colores del sitio web.'],
  [/(#[\dA-F]{6}) is close to one of the website’s colours\.$/, '$1 se parece a uno de los colores del sitio web.'],
  [
    /(#[\dA-F]{6}) is not among the colours that the website’s style sheets name\.$/,
    '$1 no está entre los colores que nombran las hojas de estilo del sitio web.',
  ],
];

/** The description or the reasons of a suggested theme. */
export function suggestedText(words: string): string {
  const [, ...mix] = /^([A-Z][a-z]+)(?: with ([a-z]+)(?: and ([a-z]+))?)?$/.exec(words) ?? [];
  if (mix.length > 0 && mix.every(isColour)) {
    const [first, second, third] = mix.map(colour);
    return capital([first, [second, third].filter(Boolean).join(' y ')].filter(Boolean).join(' con '));
  }
  return sentences.reduce(
    (text, [pattern, spanish]) =>
      text.replace(pattern, (...groups: unknown[]) =>
        spanish.replaceAll(/\$(\d)/g, (_all, at: string) => spanishOf(String(groups[Number(at)]))),
      ),
    words,
  );
}

const spanishOf = (group: string): string =>
  isColour(group) ? colour(group) : group.split(', ').map(evidence).join(', ');

const roles: Record<string, string> = {
  body: 'la página',
  header: 'el encabezado',
  nav: 'la navegación',
  hero: 'la portada',
  main: 'el contenido',
  footer: 'el pie de página',
  button: 'los botones',
  link: 'los enlaces',
  heading: 'los títulos',
  element: 'otro elemento',
};

/** Where a colour was found on a website: `header background`. */
export function evidence(from: string): string {
  if (from === 'logo') return 'logotipo';
  if (from === 'manifest') return 'manifiesto';
  const [, role = '', what] = /^([a-z]+) (background|colour)$/.exec(from) ?? [];
  if (roles[role] !== undefined)
    return `${what === 'background' ? 'fondo' : 'color'} de ${roles[role]}`.replace(' de el ', ' del ');
  return from.replace(/^custom property /, 'propiedad personalizada ');
}

const parts: Record<string, string> = {
  Stylesheet: 'La hoja de estilo',
  Manifest: 'El manifiesto',
  Logo: 'El logotipo',
};

/** What could not be read of a website; the cause of an error stays as it is. */
export const warning = (words: string): string =>
  words
    .replace(/^The screenshot failed: /, 'No se pudo hacer la captura de pantalla: ')
    .replace(/: built-in rules suggested instead$/, ': en su lugar, los temas se proponen con reglas integradas')
    .replace(
      /^(Stylesheet|Manifest|Logo) (\S{1,200}) was left out: /,
      (_all, part: string, address: string) => `${parts[part]} ${address} se omitió: `,
    )
    .replace(/: more than (\d+) KB of stylesheets$/, ': más de $1 KB de hojas de estilo')
    .replace(
      /^More than (\d+) stylesheets: the others were not read$/,
      'Más de $1 hojas de estilo: las demás no se leyeron',
    )
    .replace(/^The manifest is no JSON of the usual form$/, 'El manifiesto no es un JSON con la forma habitual')
    .replace(
      /^The page is nested too deeply: its end was not read$/,
      'La página tiene demasiados niveles anidados: su final no se leyó',
    )
    .replace(
      /^The page has too many elements: its end was not read$/,
      'La página tiene demasiados elementos: su final no se leyó',
    )
    .replace(
      /^The style sheets are too complex to be read: only the colours in the page itself count$/,
      'Las hojas de estilo son demasiado complejas para leerlas: solo cuentan los colores de la propia página',
    );
