import { format } from '../../../lib/language.ts';

export const es = {
  section: 'Comprobar este servidor',
  hint: 'Prueba lo que necesitan los despliegues, con contenedores y archivos que después se eliminan. La mayoría de las pruebas duran segundos.',
  start: 'Comprobar ahora',
  again: 'Comprobar de nuevo',
  running: 'Comprobando…',
  image: 'Imagen base',
  imageHint: 'Se descarga, se usa en una compilación y se ejecuta, y necesita Node.js. Vacío: node:24-bookworm-slim.',
  emptyTitle: 'Aún sin comprobar',
  emptyHint: 'Compruebe antes del primer despliegue si el motor, los registros, las redes y los discos están listos.',
  checking: (done: number, all: number) => format('{done} de {all} pruebas terminadas', { done, all }),
  ended: (failed: number, unknown: number) => {
    const open =
      unknown === 0
        ? ''
        : format(', {unknown, plural, one {# prueba sin resultado} other {# pruebas sin resultado}}', { unknown });
    return (
      (failed === 0
        ? 'No se encontraron fallos'
        : format('{failed, plural, one {# prueba fallida} other {# pruebas fallidas}}', { failed })) + open
    );
  },
  open: 'Abrir la página',
  statuses: {
    pending: 'en espera',
    running: 'en curso',
    good: 'bien',
    failed: 'fallida',
    not_checked: 'sin comprobar',
  },
  checks: {
    runtime: 'Entorno de ejecución y su versión',
    base_image: 'Descarga de una imagen base',
    build: 'Compilación de una imagen',
    network: 'Red para una instancia',
    containers: 'Dos contenedores se conectan entre sí',
    published_port: 'Puerto publicado de un contenedor',
    host_names: 'Resolución de nombres del servidor',
    host_https: 'HTTPS saliente del servidor',
    container_names: 'Resolución de nombres de los contenedores',
    container_https: 'HTTPS saliente de los contenedores',
    tenant_database: 'Base de datos de las instancias',
    proxy: 'Proxy inverso',
    bucket: 'Bucket de las copias de seguridad',
    mail: 'Servidores de correo',
    clock: 'Reloj',
    data_disk: 'Disco del directorio de datos',
    engine_disk: 'Disco del motor',
    image_disk: 'Disco de las imágenes del motor',
  },
  reasons: {
    runtime_unavailable: 'Sin comprobar: el entorno de ejecución no responde.',
    image_missing: 'Sin comprobar: el motor no tiene la imagen base.',
    no_network: 'Sin comprobar: no hay una red para ello.',
    no_containers: 'Sin comprobar: no hay contenedores con los que comprobarlo.',
    host_fails: 'Sin comprobar: el propio servidor no puede hacerlo.',
    no_other_clock: 'Sin comprobar: ningún servidor externo indica la hora.',
    disk_not_visible: 'Sin comprobar: el disco del motor no es visible desde aquí.',
    stopped: 'Sin comprobar: la comprobación se terminó antes.',
  },
};
