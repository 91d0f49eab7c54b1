export const es = {
  image_not_found: {
    title: 'La imagen {image} no existe en {registry}',
    remedy: 'Corrija su nombre o su etiqueta.',
  },
  image_not_allowed: {
    title: 'La imagen {image} es privada, y esta instancia no puede usar las credenciales de {registry}',
    remedy: 'Un administrador puede añadir la instancia o su repositorio en Sistema → Registros de imágenes.',
  },
  image_own: {
    title: 'El Dockerfile nombra {image}, una imagen compilada por Tenantry',
    remedy: 'Use una imagen propia como base.',
  },
  image_platform_missing: {
    title: 'La imagen {image} no existe para el procesador de este servidor ({platform})',
    remedy: 'Use una imagen compilada para él.',
  },
  registry_sign_in_required: {
    title: 'La imagen {image} no existe en {registry}, o es privada',
    remedy: 'Corrija su nombre, o añada credenciales en Sistema → Registros de imágenes.',
  },
  registry_credentials_refused: {
    title: '{registry} rechaza las credenciales para la imagen {image}',
    remedy: 'Corrija el nombre de usuario y la contraseña en Sistema → Registros de imágenes.',
  },
  registry_rate_limited: {
    title: '{registry} limita cuántas imágenes se descargan, y rechaza {image}; no dice hasta cuándo',
    remedy: 'Inténtelo más tarde, o añada credenciales en Sistema → Registros de imágenes.',
  },
  registry_rate_limited_until: {
    title: '{registry} limita cuántas imágenes se descargan, y rechaza {image} hasta {until} a más tardar',
    remedy: 'Inténtelo entonces, o añada credenciales en Sistema → Registros de imágenes.',
  },
  registry_unresolved: {
    title: 'El servidor del motor no puede resolver el nombre {registry} para descargar la imagen {image}',
    remedy: 'Compruebe los ajustes de DNS del servidor.',
  },
  registry_certificate: {
    title: 'El motor no confía en el certificado de {registry}, que tiene la imagen {image}',
    remedy: 'Ponga su autoridad en /etc/docker/certs.d/{registry}/ca.crt en el servidor del motor.',
  },
  registry_plain_http: {
    title: '{registry}, que tiene la imagen {image}, no usa HTTPS',
    remedy: 'Dele un certificado, o añádalo a insecure-registries en el daemon.json del motor.',
  },
  machine_overloaded: {
    title:
      'La máquina estaba sobrecargada: las tareas esperaron por un procesador el {cpu} %, por el disco el {io} % y por memoria el {memory} % del tiempo',
    remedy: 'Dé más capacidad a la máquina o aumente start_timeout en tenant.yaml.',
  },
  uncaught_exception: { title: '{unit}: se interrumpe por {error}', remedy: '' },
  crash_loop: {
    title:
      '{unit}: se interrumpe por {error}, {restarts, plural, one {# reinicio} other {# reinicios}} en {minutes, number} min',
    remedy: '',
  },
  application_error: { title: '{unit}: informa de un error en su registro: {error}', remedy: '' },
  application_unwell: { title: '{unit}: informa de que no está bien: {reason}', remedy: '' },
  script_line_ends: {
    title: 'La primera línea de {file} termina con un retorno de carro (CRLF), por lo que no se puede ejecutar',
    remedy: 'Guárdelo con LF, o añada *.sh text eol=lf a .gitattributes, y despliegue la versión corregida.',
  },
  script_interpreter_missing: {
    title: 'La primera línea de {file} nombra {interpreter}, que no existe',
    remedy: 'Nombre otro intérprete o instale este, y despliegue la versión corregida.',
  },
  script_not_executable: {
    title: '{file} no es ejecutable',
    remedy:
      'Ejecute git update-index --chmod=+x {file}, confírmelo en el repositorio y despliegue la versión corregida.',
  },
  script_is_directory: {
    title: '{file} es un directorio, no un programa',
    remedy: 'Corrija la línea de inicio y despliegue la versión corregida.',
  },
  program_wrong_platform: {
    title: '{file} no está compilado para el procesador y el sistema de este servidor ({platform})',
    remedy: 'Compílelo para ellos y despliegue la versión corregida.',
  },
  start_failed: {
    title: '{action, select, restart {Falló el último reinicio} other {Falló el último inicio}}: {cause}',
    remedy: 'Corrija lo que indica e inicie los servicios.',
  },
  start_failed_after_change: {
    title:
      '{action, select, restart {Falló el último reinicio} other {Falló el último inicio}}, tras un cambio de la configuración: {cause}',
    remedy: 'Revierta o corrija el cambio de la configuración e inicie los servicios.',
  },
  registry_unreachable: {
    title: 'El motor no puede conectar con {registry} para descargar la imagen {image}',
    remedy: 'Compruebe la red, el cortafuegos y los ajustes de proxy del servidor del motor, y vuelva a intentarlo.',
  },
};
