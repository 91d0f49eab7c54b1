export const es = {
  engine_too_old: {
    title: 'Docker Engine {version} no habla una API más nueva que {api}, que es demasiado antigua',
    remedy: 'Actualícelo a Docker 20.10 o posterior.',
  },
  engine_too_new: {
    title: 'Docker Engine {version} no habla una API más antigua que {api}, que esta versión de Tenantry no conoce',
    remedy: 'Actualice Tenantry, o defina DOCKER_MIN_API_VERSION en el motor.',
  },
  engine_store_unusable: {
    title: 'Docker Engine {version} no puede compilar imágenes mientras las guarda en el almacén de containerd',
    remedy: 'Actualícelo a Docker 28, o desactive containerd-snapshotter en las «features» de su daemon.json.',
  },
  network_pool_exhausted: {
    title: 'No queda ninguna red libre en {pool}',
    remedy: 'Elimine instancias, o asigne un DOCKER_NETWORK_POOL mayor.',
  },
  network_refused: {
    title: 'El motor no pudo crear una red',
    remedy: 'Lea su mensaje, y mire si otro programa usa direcciones de DOCKER_NETWORK_POOL.',
  },
  build_failed: {
    title: 'El motor no pudo compilar una imagen de una línea a partir de {image}',
    remedy: 'Lea su mensaje, y consulte el registro del motor.',
  },
  image_without_node: {
    title: 'La imagen {image} no tiene Node.js, con el que se prueba la red en un contenedor',
    remedy: 'Compruebe de nuevo con una imagen que lo tenga, como node:24-bookworm-slim.',
  },
  containers_apart: {
    title: 'Dos contenedores de una misma red no se conectan por su nombre',
    remedy: 'Permita en el cortafuegos el tráfico entre contenedores: las reglas de Docker deben quedar en él.',
  },
  port_unreachable: {
    title: 'El gestor no llega al puerto {port} que un contenedor publicó en {address}',
    remedy: 'Permita en el cortafuegos el tráfico hacia los contenedores: las reglas de Docker deben quedar en él.',
  },
  container_name_unresolved: {
    title: 'Los contenedores no pueden resolver el nombre {host}, y este servidor sí',
    remedy:
      'Ponga en "dns" del daemon.json del motor un servidor de nombres accesible desde los contenedores, y reinicie el motor.',
  },
  container_https_failed: {
    title: 'Los contenedores no llegan a {host}, y este servidor sí',
    remedy:
      'Permita en el cortafuegos el tráfico saliente de los contenedores, y mire si el servidor reenvía paquetes.',
  },
  runtime_unavailable: {
    title: 'El entorno de ejecución {runtime} no responde',
    remedy: 'Inícielo, o corrija su dirección.',
  },
  disk_full: {
    title: 'Solo quedan {free} libres en {place}, y los despliegues necesitan {needed}',
    remedy: 'Elimine lo que no haga falta allí, o amplíe el disco.',
  },
  host_name_unresolved: {
    title: 'El servidor del gestor no puede resolver el nombre {host}',
    remedy: 'Corrija los servidores de nombres en /etc/resolv.conf.',
  },
  host_https_failed: {
    title: 'El servidor del gestor no llega a {host}',
    remedy: 'Compruebe su red, y permita HTTPS saliente en su cortafuegos.',
  },
  clock_wrong: {
    title: 'El reloj del servidor del gestor difiere en {difference} del de {host}',
    remedy: 'Ajústelo por NTP: de él dependen certificados, tokens y horarios.',
  },
  clock_of_engine: {
    title: 'El reloj del servidor del motor difiere en {difference} del del gestor',
    remedy: 'Ajuste ambos por NTP: de ellos dependen certificados, tokens y horarios.',
  },
  clock_of_store: {
    title: 'El reloj del servidor de la base de datos del gestor difiere en {difference} del del gestor',
    remedy: 'Ajuste ambos por NTP: de ellos dependen certificados, tokens y horarios.',
  },
  database_unreachable: {
    title: 'El servidor de bases de datos de las instancias {server} no responde',
    remedy: 'Inícielo, o corrija la dirección en TENANT_DATABASE_URL.',
  },
  database_refused: {
    title: 'El servidor de bases de datos de las instancias {server} rechaza la cuenta de TENANT_DATABASE_URL',
    remedy: 'Corrija allí el usuario y la contraseña.',
  },
  database_rights: {
    title: 'La cuenta de TENANT_DATABASE_URL no puede crear bases de datos y cuentas en {server}',
    remedy: 'Concédale ALL PRIVILEGES en *.* con GRANT OPTION.',
  },
  database_failed: {
    title: 'El servidor de bases de datos de las instancias {server} no creó una base de datos',
    remedy: 'Lea su mensaje, y consulte su registro.',
  },
  proxy_port_taken: {
    title: 'El puerto {port} del proxy inverso está en uso por {holder}',
    remedy: 'Deténgalo, o elija otro puerto.',
  },
  proxy_unavailable: {
    title: 'El proxy inverso {proxy} no usa la configuración del gestor',
    remedy: 'Inícielo, y lea su mensaje.',
  },
  bucket_missing: {
    title: 'No existe el bucket {bucket}',
    remedy: 'Créelo, o corrija su nombre en los ajustes.',
  },
  bucket_refused: {
    title: 'La clave de acceso no puede escribir, leer y eliminar objetos en el bucket {bucket}',
    remedy: 'Concédale esos permisos, o corrija la clave de acceso y la clave secreta en los ajustes.',
  },
  bucket_unreachable: {
    title: 'El servicio del bucket {bucket} no responde',
    remedy: 'Corrija su dirección en los ajustes, y compruebe la red del servidor.',
  },
  bucket_failed: {
    title: 'No se pudo escribir, leer y eliminar un objeto en el bucket {bucket}',
    remedy: 'Lea el mensaje de su servicio.',
  },
  mail_failed: {
    title: 'No se puede usar el servidor de correo del canal {channel}',
    remedy: 'Corrija su dirección, su usuario o su contraseña.',
  },
  too_slow: {
    title: 'No hubo respuesta en {seconds} s',
    remedy: 'Compruebe de nuevo cuando el servidor tenga menos carga.',
  },
  check_failed: {
    title: 'La prueba falló',
    remedy: 'Lea su mensaje, y consulte el registro del gestor.',
  },
};
