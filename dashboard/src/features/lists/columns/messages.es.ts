import { number } from '../../../lib/figures.ts';

export const es = {
  columns: {
    title: '¿Qué hay en cada columna?',
    hint: 'Revise las columnas dudosas. Las columnas que no se importan siguen en su archivo.',
    looking: 'Analizando las columnas…',
    lookingHint: 'Sus nombres y valores se comparan con los campos de una persona.',
    notYet: 'Las columnas todavía no se han analizado.',
    suggest: 'Volver a sugerir',
    table: 'Columnas de la lista',
    column: 'Columna',
    target: 'Campo',
    how: 'Transformación',
    sureness: 'Confianza',
    targetOf: (column: string) => `Campo para ${column}`,
    howOf: (column: string) => `Transformación de ${column}`,
    noValues: 'sin valores en las primeras filas',
    filled: (column: string) => `de «${column}»`,
    missing: 'todavía sin columna',
    required: 'Obligatorio',
    incomplete: (fields: string) => `Elija una columna para ${fields} antes de continuar.`,
    clash: (field: string, other: string) => `${field} ya se llena con «${other}». Cambie una de las dos columnas o`,
    joinBoth: 'una ambas',
    badName: 'Use letras minúsculas, cifras y guiones bajos, y empiece por una letra.',
    customName: (column: string) => `Nombre del campo personalizado para ${column}`,
    yourChoice: 'Elegido por usted',
    forget: 'Olvidar esta elección',
    forgotten: 'Olvidada: las próximas listas tendrán la sugerencia habitual.',
    sure: [
      [0.9, 'Segura'],
      [0.7, 'Probable'],
      [0.5, 'Dudosa'],
      [0, 'Una suposición'],
    ] as [number, string][],
    percent: (confidence: number) => `${Math.round(confidence * 100)} %`,
    or: 'O:',
    show: 'Mostrar',
    shows: { all: 'Todas', unsure: 'Por revisar', kept: 'Importadas', skipped: 'No importadas' },
    showing: (name: string, count: number) => `${name} (${number(count)})`,
    nothing: {
      all: '',
      unsure: 'No hay columnas por revisar.',
      kept: 'No se importa ninguna columna.',
      skipped: 'Se importan todas las columnas.',
    },
    more: (count: number) => `Mostrar ${number(count)} más`,
    warnings: 'Advertencias',
    imported:
      'Esta lista ya se importó. Los cambios que haga aquí se aplican a la próxima importación. Para sustituir a las personas importadas, deshaga primero la importación.',
    draft: 'Sus cambios se guardan en este navegador hasta que continúe.',
    reset: 'Deshacer mis cambios',
    save: 'Guardar y comprobar',
    next: 'Continuar a la comprobación',
    back: 'Volver a la vista previa',
  },

  targets: {
    suggestions: 'Sugeridos',
    other: 'Otros',
    own: 'Campo personalizado',
    ownNamed: (name: string) => `Campo personalizado «${name}»`,
    skip: 'No se importa',
  },

  templates: {
    title: 'Plantilla',
    hint: 'Las listas con la misma estructura solo necesitan una asignación de columnas.',
    choose: 'Usar una plantilla',
    none: 'Ninguna',
    apply: 'Aplicar',
    applied: (name: string) => `Se aplicó la plantilla «${name}».`,
    from: (name: string) => `De la plantilla «${name}».`,
    save: 'Guardar como plantilla…',
    saving: {
      title: 'Guardar como plantilla',
      hint: 'La próxima lista con estas columnas tendrá la misma asignación, en todas las instancias.',
      submit: 'Guardar plantilla',
    },
    name: 'Nombre',
    description: 'Descripción',
    saved: (name: string) => `Se guardó la plantilla «${name}».`,
    rename: 'Cambiar nombre…',
    renaming: {
      title: 'Cambiar el nombre de la plantilla',
      hint: 'El nuevo nombre vale para todas las instancias. La asignación de columnas no cambia.',
      submit: 'Guardar nombre',
    },
    renamed: (name: string) => `La plantilla ahora se llama «${name}».`,
    delete: 'Eliminar plantilla…',
    deleteTitle: (name: string) => `¿Eliminar la plantilla «${name}»?`,
    deleteHint: 'Se elimina para todas las instancias. Las listas que la usaron conservan sus columnas.',
    deleteSubmit: 'Eliminar plantilla',
    deleted: (name: string) => `Se eliminó la plantilla «${name}».`,
  },

  catalogue: {
    groups: { name: 'Nombre', contact: 'Contacto', address: 'Dirección', campaign: 'Campaña' },
    fields: {
      first_name: 'Nombre',
      last_name: 'Apellido',
      address1: 'Dirección postal',
      address2: 'Dirección, línea 2',
      city: 'Ciudad',
      state: 'Estado',
      zip: 'Código postal',
      county: 'Condado',
      congressional_district: 'Distrito del Congreso',
      home_phone: 'Teléfono de casa',
      cell_phone: 'Teléfono móvil',
      email: 'Correo electrónico',
      precinct: 'Recinto electoral',
      precinct_number: 'Número de recinto electoral',
      precinct_status: 'Situación en el recinto electoral',
      precinct_role: 'Función en el recinto electoral',
      notes: 'Notas',
      whip_status: 'Nivel de apoyo',
      tags: 'Etiquetas',
    },
    transforms: {
      none: 'Sin cambios',
      name_case: 'Corregir mayúsculas',
      full_name: 'Dividir nombres completos',
      state: 'Código de dos letras',
      city_state_zip: 'Dividir ciudad, estado y código postal',
      city_state: 'Dividir ciudad y estado',
      zip: 'Corregir cifras',
      district: 'Con la forma IL-07',
      phone: 'Unificar el formato',
      email: 'Limpiar',
      date: 'Con la forma AAAA-MM-DD',
      join: 'Unir estas columnas',
    },
  } as Record<'groups' | 'fields' | 'transforms', Record<string, string>>,

  reasons: {
    'The header matches': 'El encabezado coincide',
    'The values match': 'Los valores coinciden',
    'The header and the values match': 'El encabezado y los valores coinciden',
    'Another column fits the field better': 'Otra columna encaja mejor en el campo',
    'Matches no person field': 'No coincide con ningún campo de persona',
    'No header and no values': 'Sin encabezado ni valores',
    'Only used by the system that exported the list': 'Solo lo usa el sistema que exportó la lista',
    'Added by Tenantry to a list of rejected rows': 'Agregada por Tenantry a una lista de filas rechazadas',
    'A full name; split into first and last name': 'Un nombre completo; se divide en nombre y apellido',
    'The second phone number of the list': 'El segundo número de teléfono de la lista',
    'A plain phone number': 'Un número de teléfono sin más indicación',
    'The phone number next to the cell phone': 'El número de teléfono junto al móvil',
    'Some of its values are given names': 'Algunos de sus valores son nombres de pila',
    'Based on the adjacent columns': 'Según las columnas contiguas',
    '{1} says so': 'Así lo indica {1}',
    'Part of the street address; joined in the order of the file':
      'Parte de la dirección postal; se une en el orden del archivo',
    'Part of the unit; joined in the order of the file':
      'Parte del apartamento o la unidad; se une en el orden del archivo',
    'Its values are counties': 'Sus valores son condados',
    'Suggested by the AI provider': 'Sugerido por el proveedor de IA',
    'Matches the template’s column {1}': 'Coincide con la columna {1} de la plantilla',
    'Another column was chosen for this field in an earlier list':
      'En una lista anterior se eligió otra columna para este campo',
    'Chosen by {1} for this column on {2}': 'Elegido por {1} para esta columna el {2}',
    'Sensitive (race or ethnicity): imported only if you choose it':
      'Dato sensible (raza u origen étnico): solo se importa si usted lo elige',
    'Sensitive (religion): imported only if you choose it':
      'Dato sensible (religión): solo se importa si usted lo elige',
    'Sensitive (social security number): imported only if you choose it':
      'Dato sensible (número del seguro social): solo se importa si usted lo elige',
    'Sensitive (driver’s licence): imported only if you choose it':
      'Dato sensible (licencia de conducir): solo se importa si usted lo elige',
    'Sensitive (identity document): imported only if you choose it':
      'Dato sensible (documento de identidad): solo se importa si usted lo elige',
    'Sensitive (bank account or card): imported only if you choose it':
      'Dato sensible (cuenta bancaria o tarjeta): solo se importa si usted lo elige',
    'Sensitive (health): imported only if you choose it': 'Dato sensible (salud): solo se importa si usted lo elige',
    'Sensitive (sexual orientation or gender identity): imported only if you choose it':
      'Dato sensible (orientación sexual o identidad de género): solo se importa si usted lo elige',
    'Sensitive (immigration status): imported only if you choose it':
      'Dato sensible (situación migratoria): solo se importa si usted lo elige',
    'Sensitive (criminal record): imported only if you choose it':
      'Dato sensible (antecedentes penales): solo se importa si usted lo elige',
  } as Record<string, string>,

  warnings: {
    'The list has no headers: the suggestions are based on its values only. Check each of them.':
      'La lista no tiene encabezados: las sugerencias se basan solo en sus valores. Revíselas todas.',
    'No column was found for first name and last name; an import needs a first and a last name.':
      'No se encontró columna para el nombre ni para el apellido; una importación necesita ambos.',
    'No column was found for first name; an import needs a first and a last name.':
      'No se encontró columna para el nombre; una importación necesita nombre y apellido.',
    'No column was found for last name; an import needs a first and a last name.':
      'No se encontró columna para el apellido; una importación necesita nombre y apellido.',
    'Imported only if you choose so, because of what they seem to hold: {1}.':
      'Solo se importan si usted lo elige, por lo que parecen contener: {1}.',
    '{1} holds whole names; it is split into first and last name.':
      '{1} contiene nombres completos; se divide en nombre y apellido.',
    '{1} is split into city, state and ZIP code.': '{1} se divide en ciudad, estado y código postal.',
    '{1} is split into city and state.': '{1} se divide en ciudad y estado.',
    'The list has the layout of the template “{1}”: its mappings are suggested.':
      'La lista tiene la estructura de la plantilla «{1}»: se sugiere su asignación de columnas.',
    'The list has no column like {1} of the template “{2}”.':
      'La lista no tiene ninguna columna parecida a {1} de la plantilla «{2}».',
    'No model is chosen (the setting ai_provider_model), so the AI provider is not asked.':
      'No se ha elegido ningún modelo (ajuste ai_provider_model), por lo que no se consulta al proveedor de IA.',
    '{1}. The suggestions come from the built-in rules only.':
      '{1}. Las sugerencias proceden solo de las reglas integradas.',
  } as Record<string, string>,
};
