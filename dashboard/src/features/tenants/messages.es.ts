import { format } from '../../lib/language.ts';

/** What the API advises about a host name, by its English words; $1: what is named in it. */
const dnsAdvice: [RegExp, string][] = [
  [
    /^The name servers did not answer\. Try again\.$/,
    'Los servidores de nombres no respondieron. Vuelva a intentarlo.',
  ],
  [
    /^The setting public_addresses cannot be resolved: no address of (.+) was found\..*$/,
    'El ajuste public_addresses no se puede resolver: no se encontró ninguna dirección de $1. Corrija el ajuste o los registros de ese nombre de host y vuelva a comprobarlo.',
  ],
  [/^Create an (A|AAAA) record with (.+)\.$/, 'Cree un registro $1 con $2.'],
  [/^Create A and AAAA records with (.+)\.$/, 'Cree registros A y AAAA con $1.'],
  [
    /^Set public_addresses to compare them with your reverse proxy\.$/,
    'Configure public_addresses para compararlas con su proxy inverso.',
  ],
  [
    /^Remove the records with (.+): some visitors are led there\.$/,
    'Elimine los registros con $1: llevan a algunos visitantes allí.',
  ],
  [
    /^Change the records to (.+), unless a service in front of your reverse proxy has these addresses\.$/,
    'Cambie los registros a $1, salvo que esas direcciones sean de un servicio situado delante de su proxy inverso.',
  ],
];

export const es = {
  list: {
    create: 'Nueva instancia',
    search: 'Buscar instancias',
    searchHint: 'Nombre, nombre corto o dominio',
    filter: 'Filtrar por situación',
    all: 'Todas',
    healthFilter: 'Filtrar por estado',
    shown: (shown: number, all: number) =>
      shown === all
        ? format('{all, plural, one {# instancia} other {# instancias}}', { all })
        : format('{shown, number} de {all, plural, one {# instancia} other {# instancias}}', { shown, all }),
    columns: {
      name: 'Nombre',
      status: 'Situación',
      health: 'Estado',
      domain: 'Dominio',
      version: 'Versión',
      update: 'Actualización',
      response: 'Respuesta',
      backup: 'Última copia',
      tags: 'Etiquetas',
      deployed: 'Desplegada',
      actions: 'Acciones',
    },
    filters: {
      any: (label: string) => `${label}: cualquiera`,
      tag: 'Etiqueta',
      version: 'Versión',
      update: { label: 'Actualización', options: { available: 'Disponible', none: 'Ninguna conocida' } },
      backup: { label: 'Última copia', options: { late: 'De hace más de un día', never: 'Sin copia' } },
      response: { label: 'Respuesta', options: { slow: 'Más de 1 s', none: 'Sin respuesta' } },
    },
    menu: {
      trouble: 'Primero los problemas',
      filters: 'Más filtros',
      columns: 'Columnas',
      show: (column: string) => `Mostrar «${column}»`,
      hide: (column: string) => `Ocultar «${column}»`,
      tags: 'Colores de las etiquetas…',
      export: 'Exportar CSV',
    },
    actionsOf: (name: string) => `Acciones para ${name}`,
    emptyTitle: 'Todavía no hay instancias',
    emptyHint:
      'Una instancia es una copia de su aplicación con dirección, base de datos y ajustes propios. Póngale un nombre e indique el repositorio de Git desde el que se despliega.',
    emptyViewer: 'Un operador puede añadir la primera.',
    nothingTitle: 'Ninguna instancia coincide',
    nothingHint: 'Pruebe con otro nombre o quite los filtros.',
    clear: 'Quitar búsqueda y filtros',
  },
  tags: {
    title: 'Colores de las etiquetas',
    hint: 'Una etiqueta y su color existen mientras alguna instancia la tenga. Todas las personas ven los mismos colores.',
    colorOf: (name: string) => `Color de ${name}`,
    tenants: (count: number) => format('{count, plural, one {# instancia} other {# instancias}}', { count }),
    colors: {
      slate: 'Pizarra',
      teal: 'Verde azulado',
      plum: 'Ciruela',
      clay: 'Arcilla',
      olive: 'Oliva',
      sky: 'Celeste',
    },
  },
  views: {
    label: 'Vistas',
    all: 'Todas',
    save: 'Guardar vista',
    remove: 'Eliminar vista',
    saveTitle: 'Guardar esta vista',
    saveHint: 'La búsqueda, los filtros, el orden y las columnas se guardan en este navegador.',
    name: 'Nombre de la vista',
    submit: 'Guardar',
  },
  form: {
    tags: 'Etiquetas',
    tagsHint: 'Separadas por comas',
    createTitle: 'Nueva instancia',
    createHint: 'No se inicia nada hasta que la despliegue.',
    editTitle: 'Editar instancia',
    editHint: 'Los servicios usan los dominios nuevos después del próximo inicio, reinicio o despliegue.',
    name: 'Nombre',
    slug: 'Nombre corto',
    slugHint: 'Se usa en direcciones y nombres de archivo. Después no se puede cambiar.',
    domain: 'Dominio',
    apiDomain: 'Dominio de la API',
    repository: 'Repositorio de Git',
    repositoryHint: 'https://, ssh:// o git@host:ruta. Puede añadirlo más tarde.',
    dns: {
      checking: 'Comprobando los nombres de host…',
      states: {
        correct: (name: string) => `${name} lleva al proxy inverso.`,
        elsewhere: (name: string, addresses: string) => `${name} lleva a ${addresses}.`,
        resolves: (name: string, addresses: string) => `${name} lleva a ${addresses}.`,
        missing: (name: string) => `${name} todavía no existe en el DNS.`,
        unknown: (name: string) => `No se pudo comprobar ${name}.`,
      },
      advice: (advice: string) => {
        const [pattern, words] = dnsAdvice.find(([one]) => one.test(advice)) ?? [];
        if (!pattern || words === undefined) return advice;
        return advice
          .replace(pattern, words)
          .replace('the address of your reverse proxy', 'la dirección de su proxy inverso')
          .replaceAll(' and ', ' y ')
          .replaceAll(' or ', ' o ');
      },
    },
    check: {
      checking: 'Comprobando el repositorio…',
      unusable: (reason: string) => `Esta dirección no se puede usar: ${reason}`,
      empty: 'Accesible, pero vacío: no tiene ninguna rama que desplegar.',
      noVersions: (branch: string) =>
        `Accesible. Todavía no hay versiones (etiquetas como v1.0.0); se puede desplegar la rama ${branch}.`,
      versions: (count: number, latest: string) =>
        format(
          '{count, plural, one {Accesible. Se encontró # versión} other {Accesible. Se encontraron # versiones}}; la más reciente es {latest}.',
          { count, latest },
        ),
      first: 'Primer despliegue',
      firstHint: 'Empieza en cuanto se crea la instancia.',
      later: 'Ahora no',
      latest: (version: string) => `${version} (la más reciente)`,
      branch: (branch: string) => `Rama ${branch}`,
    },
    notes: 'Notas',
    create: 'Crear instancia',
    createAndDeploy: 'Crear y desplegar',
    save: 'Guardar cambios',
    saved: 'Cambios guardados.',
  },
  actions: {
    deploy: 'Desplegar',
    deployAgain: 'Volver a desplegar',
    start: 'Iniciar',
    stop: 'Detener',
    restart: 'Reiniciar',
    edit: 'Editar…',
    delete: 'Eliminar…',
    more: 'Acciones',
    done: {
      start: (name: string) => `${name} se inició.`,
      stop: (name: string) => `${name} se detuvo.`,
      restart: (name: string) => `${name} se reinició.`,
    },
  },
  confirm: {
    stop: {
      title: (name: string) => `¿Detener ${name}?`,
      hint: 'Los visitantes ven una página de error hasta que vuelva a iniciarla. Sus datos se conservan.',
      submit: 'Detener',
    },
    restart: {
      title: (name: string) => `¿Reiniciar ${name}?`,
      hint: 'Sus servicios se reinician con la configuración actual. Es posible que los visitantes vean una página de error durante unos segundos.',
      submit: 'Reiniciar',
    },
  },
  remove: {
    title: (name: string) => `¿Eliminar ${name}?`,
    hint: 'Sus servicios se detienen; su registro, sus puertos y sus direcciones se eliminan. Esto no se puede deshacer.',
    files: 'Eliminar también sus archivos, su base de datos y sus copias de seguridad',
    filesHint: 'Se eliminan todas las copias, también las externas. No se podrá restaurar nada.',
    keptHint:
      'Sus archivos, su base de datos y sus copias de seguridad permanecen en el servidor (las copias, en el directorio de datos, dentro de kept/), pero el panel ya no los muestra.',
    submit: 'Eliminar instancia',
    done: (name: string) => `${name} se eliminó.`,
  },
};
