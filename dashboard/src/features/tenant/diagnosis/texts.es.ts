/** Causes, facts, effects and remedies of the manager, for `apiText`: {1} is often “API” or “site”, which are translated, too. */
export const texts = {
  site: 'sitio',
  '{1} does not answer': '{1} no responde',
  'The node {1} is unavailable': 'El nodo {1} no responde',
  'The disk is full': 'El disco está lleno',
  'An operation on the tenant is in progress': 'Hay una operación en curso en la instancia',
  'The deployment failed: {1}': 'El despliegue falló: {1}',
  'The last change failed and could not be undone completely: {1}':
    'El último cambio falló y no se pudo deshacer por completo: {1}',
  'The tenant has not been deployed yet': 'La instancia todavía no se ha desplegado',
  '{1} stopped the services': '{1} detuvo los servicios',
  'The services are stopped': 'Los servicios están detenidos',
  'The files of the deployed version are missing': 'Faltan los archivos de la versión desplegada',
  'The {1}’s container, service or unit file was removed':
    '{1}: se eliminó su contenedor, servicio o archivo de unidad',
  'Swarm finds no node for the {1}': '{1}: Swarm no encuentra ningún nodo',
  'The {1} does not answer its health check, and is started again and again':
    '{1}: no responde a su comprobación de estado y se inicia una y otra vez',
  'The {1} did not answer its health check, and is not started any more':
    '{1}: no respondió a su comprobación de estado y ya no se inicia',
  'The {1} is paused': '{1}: está en pausa',
  'The {1} was stopped without the manager': '{1}: se detuvo sin el gestor',
  'The database server cannot be reached': 'No se puede acceder al servidor de la base de datos',
  'The database server does not answer in time': 'El servidor de la base de datos no responde a tiempo',
  'The database server has no connection left': 'Al servidor de la base de datos no le quedan conexiones',
  'The database refuses the tenant’s account': 'La base de datos rechaza la cuenta de la instancia',
  'The tenant’s database is missing': 'Falta la base de datos de la instancia',
  'The database file is damaged': 'El archivo de la base de datos está dañado',
  'Another program keeps the database locked': 'Otro programa mantiene bloqueada la base de datos',
  'The database fails its check': 'La comprobación de la base de datos falla',
  'The application waits for a query that has been running for {1} s':
    'La aplicación espera una consulta que dura ya {1} s',
  'Port {1} of the {2} is in use by {3}': 'El puerto {1} ({2}) está ocupado por {3}',
  'Port {1} is in use': 'El puerto {1} está ocupado',
  'The {1} ran out of memory': '{1}: se quedó sin memoria',
  'The {1} cannot be started': '{1}: no se puede iniciar',
  'The {1} was ended by {2}': '{1}: la señal {2} terminó el proceso',
  'The {1} ends with exit code {2}': '{1}: termina con el código de salida {2}',
  'The {1} runs but does not answer': '{1}: está en marcha pero no responde',
  'The {1} runs but does not listen on its port': '{1}: está en marcha pero no escucha en su puerto',
  'The manager cannot reach the {1}, which runs': '{1}: está en marcha, pero el gestor no puede acceder',
  'The {1} gives no valid answer': '{1}: no da una respuesta válida',
  'The {1} says that it is not healthy': '{1}: informa de que no está bien',
  'The {1} answers with errors': '{1}: responde con errores',
  'The {1} has no health page at the path in tenant.yaml': '{1}: no hay página de estado en la ruta de tenant.yaml',
  'The page that tenant.yaml names as probe does not answer': 'La página de prueba de tenant.yaml no responde',
  'The application answers, but “{1}” fails': 'La aplicación responde, pero «{1}» falla',
  'Users cannot finish “{1}”.': 'Los usuarios no pueden terminar «{1}».',
  'The application refuses the manager’s API key': 'La aplicación rechaza la clave de API del gestor',
  'The reverse proxy does not answer': 'El proxy inverso no responde',
  'The site’s configuration at the reverse proxy was removed':
    'Se eliminó la configuración del sitio en el proxy inverso',
  'The site’s configuration at the reverse proxy was changed by hand':
    'La configuración del sitio en el proxy inverso se cambió a mano',
  'The certificate is not valid yet, so this host’s clock is probably wrong':
    'El certificado aún no es válido: probablemente el reloj de este equipo está mal',
  'The certificate has expired': 'El certificado ha caducado',
  'The certificate is for other host names': 'El certificado es para otros nombres de host',
  'The reverse proxy serves another certificate than the site’s':
    'El proxy inverso usa otro certificado que el del sitio',
  'The certificate expires soon and has not been renewed': 'El certificado caduca pronto y no se ha renovado',
  'The services answer, but not through the reverse proxy':
    'Los servicios responden, pero no a través del proxy inverso',
  'The host name {1} has no address': 'El nombre de host {1} no tiene dirección',
  'The host name {1} leads to another address than the reverse proxy':
    'El nombre de host {1} lleva a otra dirección que la del proxy inverso',
  'The site redirects to itself, so browsers give up':
    'El sitio se redirige a sí mismo, por lo que los navegadores desisten',
  'If a CDN or a load balancer ends TLS in front of the reverse proxy, name it in FRONT_PROXIES.':
    'Si una CDN o un balanceador de carga termina TLS delante del proxy inverso, nómbrelo en FRONT_PROXIES.',
  'The module “{1}” is missing': 'Falta el módulo «{1}»',
  'The environment variable {1} is not set': 'La variable de entorno {1} no está definida',
  'The application ended with “{1}”': 'La aplicación terminó con «{1}»',
  'The host name {1} cannot be resolved': 'No se puede resolver el nombre de host {1}',
  'The application cannot connect to its database{1}': 'La aplicación no puede conectarse con su base de datos{1}',
  'The application cannot connect to {1}': 'La aplicación no puede conectarse con {1}',
  'The application ran out of memory': 'La aplicación se quedó sin memoria',
  'The application has no permission for {1}': 'La aplicación no tiene permiso para {1}',
  'The program “{1}” is not installed': 'El programa «{1}» no está instalado',
  'The code has a syntax error: {1}': 'El código tiene un error de sintaxis: {1}',
  'A migration does not fit the database: {1}': 'Una migración no corresponde a la base de datos: {1}',
  'Pages load, but signing in, searching and saving fail for every visitor.':
    'Las páginas cargan, pero iniciar sesión, buscar y guardar fallan para todos los visitantes.',
  'Visitors see an error page.': 'Los visitantes ven una página de error.',
  'Visitors see an error page instead of the site.': 'Los visitantes ven una página de error en lugar del sitio.',
  'Visitors do not reach the site, though its services answer.':
    'Los visitantes no llegan al sitio, aunque sus servicios responden.',
  'Requests that need the database may fail.': 'Las peticiones que usan la base de datos pueden fallar.',
  'The services end again whenever they are started.': 'Los servicios terminan cada vez que se inician.',
  'Nothing can be started, stopped or deployed there.': 'Allí no se puede iniciar, detener ni desplegar nada.',
  'Browsers warn of the site, and most visitors leave it.':
    'Los navegadores advierten del sitio, y la mayoría de los visitantes se va.',
  'The clock of the {1} is {2} ahead of the manager’s': 'El reloj del {1} va {2} por delante del reloj del gestor',
  'The clock of the {1} is {2} behind the manager’s': 'El reloj del {1} va {2} por detrás del reloj del gestor',
  'container engine': 'motor de contenedores',
  'database server': 'servidor de base de datos',
  'Browsers will warn of the site once it has expired.': 'Los navegadores advertirán del sitio cuando caduque.',
  'Visitors do not reach the site by this name.': 'Los visitantes no llegan al sitio con este nombre.',
  'Lists cannot be imported, and the application’s figures are missing.':
    'No se pueden importar listas, y faltan las cifras de la aplicación.',
  'Start it on its host, and check that the manager can reach it.':
    'Inícielo en su equipo y compruebe que el gestor puede acceder.',
  'Start the node, or drain it so that its services move to another one.':
    'Inicie el nodo, o vacíelo para que sus servicios pasen a otro.',
  'Delete old backups or enlarge the disk, then restart the services.':
    'Elimine copias antiguas o amplíe el disco, y reinicie los servicios.',
  'Delete old backups or enlarge the disk, then try again.':
    'Elimine copias antiguas o amplíe el disco, y vuelva a intentarlo.',
  'Stop what uses the port, or give the tenant another port; then try again.':
    'Detenga lo que usa el puerto o asigne otro a la instancia, y vuelva a intentarlo.',
  'Raise the memory limit of services in the settings, then try again.':
    'Aumente el límite de memoria de los servicios en los ajustes y vuelva a intentarlo.',
  'Raise the memory limit of services in the settings if they need more, then try again.':
    'Aumente el límite de memoria de los servicios en los ajustes si necesitan más, y vuelva a intentarlo.',
  'Check the tenant’s account at the database server, then try again.':
    'Compruebe la cuenta de la instancia en el servidor de la base de datos y vuelva a intentarlo.',
  'Look for another site with its host names at the reverse proxy.':
    'Busque en el proxy inverso otro sitio con sus nombres de host.',
  'See the operation’s log for its last words.': 'Consulte sus últimas líneas en el registro de la operación.',
  'Wait until it has ended; it proves the services afterwards.':
    'Espere a que termine; después comprueba los servicios.',
  'Correct what it names, then deploy again.': 'Corrija lo que indica y despliegue de nuevo.',
  'Deploy it.': 'Despliéguela.',
  'Start the services.': 'Inicie los servicios.',
  'Restart the services.': 'Reinicie los servicios.',
  'Restart the services; if it happens again, see the log.':
    'Reinicie los servicios; si vuelve a ocurrir, consulte el registro.',
  'Deploy the same version again. If that fails, correct what the evidence names.':
    'Despliegue de nuevo la misma versión. Si falla, corrija lo que indican las pruebas.',
  'Repair the site. If that does not help, look for another site with its host names at the reverse proxy.':
    'Repare el sitio. Si no sirve, busque en el proxy inverso otro sitio con sus nombres de host.',
  'Deploy the same version again: that prepares its files.':
    'Despliegue de nuevo la misma versión: así se preparan sus archivos.',
  'Correct what Swarm names: activate or add a node, or free the memory or the port there.':
    'Corrija lo que indica Swarm: active o añada un nodo, o libere allí la memoria o el puerto.',
  'Deploy the same version again: that creates it.': 'Despliegue de nuevo la misma versión: así se crea.',
  'Deploy {1} again, which ran before, and fix {2}.':
    'Despliegue de nuevo {1}, que estaba antes en marcha, y corrija {2}.',
  'Start the database server, and check that the host reaches it.':
    'Inicie el servidor de la base de datos y compruebe que el equipo puede acceder.',
  'Check the load, the disk and the locks of the database server.':
    'Compruebe la carga, el disco y los bloqueos del servidor de la base de datos.',
  'SHOW FULL PROCESSLIST at the database server shows the query and what it waits for; KILL with its id ends it.':
    'SHOW FULL PROCESSLIST en el servidor de la base de datos muestra la consulta y a qué espera; KILL con su id la termina.',
  'Restore the tenant’s last backup, without a safety backup: the damaged file cannot be backed up.':
    'Restaure la última copia de la instancia, sin copia previa: el archivo dañado no se puede copiar.',
  'Restore the tenant’s last backup, without a safety backup if there is nothing to back up.':
    'Restaure la última copia de la instancia, sin copia previa si no hay nada que copiar.',
  'End the program that works on the database file.': 'Termine el programa que usa el archivo de la base de datos.',
  'See the log for its last words.': 'Consulte sus últimas líneas en el registro.',
  'See the log for what it waits for, then restart the services.':
    'Consulte en el registro a qué espera, y reinicie los servicios.',
  'See the log for what it lacks.': 'Consulte en el registro qué le falta.',
  'See the log for the errors.': 'Consulte los errores en el registro.',
  'Start the reverse proxy on its host.': 'Inicie el proxy inverso en su equipo.',
  'Repair the site: that writes the configuration again.': 'Repare el sitio: así se escribe de nuevo su configuración.',
  'See why it was not renewed, and renew it.': 'Vea por qué no se renovó, y renuévelo.',
  'Correct its records at the provider of the host name.': 'Corrija sus registros en el proveedor del nombre.',
  'Set the host’s clock by NTP.': 'Ponga en hora el reloj del equipo con NTP.',
  'tenant {1}, {2}': 'la instancia {1}, {2}',
  'Port {1} is in use by {2}': 'El puerto {1} está ocupado por {2}',
  'The port is in use': 'El puerto está ocupado',
  'Stop what uses it, or give the tenant another port': 'Detenga lo que lo usa o asigne otro puerto a la instancia',
  'The application is not allowed to listen on {1}': 'La aplicación no tiene permiso para escuchar en {1}',
  'Let it listen on HOST and PORT': 'Haga que escuche en HOST y PORT',
  'Add it to the dependencies that the repository’s install command installs':
    'Añádalo a las dependencias que instala el comando de instalación del repositorio',
  'Check that the database server runs and that the application uses DATABASE_URL':
    'Compruebe que el servidor de la base de datos está en marcha y que la aplicación usa DATABASE_URL',
  'The database refuses the user name or the password': 'La base de datos rechaza el usuario o la contraseña',
  'Check that the application uses DATABASE_URL unchanged': 'Compruebe que la aplicación usa DATABASE_URL sin cambios',
  'Raise the memory limit of services in the settings, or make the application use less':
    'Aumente el límite de memoria de los servicios en los ajustes, o haga que la aplicación use menos',
  'Free some space on the host, then try again': 'Libere espacio en el equipo y vuelva a intentarlo',
  'The package registry cannot be reached{1}': 'No se puede acceder al registro de paquetes{1}',
  'The package registry does not have {1}': 'El registro de paquetes no tiene {1}',
  'The package registry refuses access': 'El registro de paquetes deniega el acceso',
  'Check the host’s network, DNS and proxy settings, then try again':
    'Compruebe la red, el DNS y el proxy del equipo y vuelva a intentarlo',
  'Give the install command access to the registry': 'Dé al comando de instalación acceso al registro',
  'Fix the migration, or restore a backup whose data it fits':
    'Corrija la migración o restaure una copia con datos que correspondan',
  'npm cannot resolve the dependencies: two packages need different versions':
    'npm no puede resolver las dependencias: dos paquetes necesitan versiones distintas',
  'package-lock.json does not fit package.json': 'package-lock.json no corresponde a package.json',
  'Run npm install and commit package-lock.json': 'Ejecute npm install y confirme package-lock.json en el repositorio',
  'A package differs from what package-lock.json expects': 'Un paquete difiere de lo que espera package-lock.json',
  'Check the lock file, then deploy again': 'Revise el archivo de bloqueo y despliegue de nuevo',
  'package.json has no script “{1}”': 'package.json no tiene el script «{1}»',
  'A native module cannot be built': 'No se puede compilar un módulo nativo',
  'Install a compiler and Python on the host or in the image':
    'Instale un compilador y Python en el equipo o en la imagen',
  'pip cannot find the package {1}': 'pip no encuentra el paquete {1}',
  'Check the address in its configuration, and that something answers there':
    'Compruebe la dirección en su configuración y que algo responde allí',
  'Check the address in the tenant’s configuration, and the host’s DNS':
    'Compruebe la dirección en la configuración de la instancia y el DNS del equipo',
  'The application was killed (SIGKILL), usually because it ran out of memory':
    'Se terminó la aplicación (SIGKILL), por lo general por falta de memoria',
  'Let it write only below IMPORT_DIR, its database’s directory and its uploads':
    'Haga que escriba solo dentro de IMPORT_DIR, del directorio de su base de datos y de sus archivos subidos',
  'The application lacks a permission': 'A la aplicación le falta un permiso',
  'See the log for what it was refused': 'Consulte en el registro qué se le denegó',
  'The build failed: {1}': 'Falló la compilación: {1}',
  'Install it in the repository’s install command or on the host':
    'Instálelo en el comando de instalación del repositorio o en el equipo',
  'The database is locked by another program': 'Otro programa mantiene bloqueada la base de datos',
  'Try again when that program has finished': 'Vuelva a intentarlo cuando ese programa haya terminado',
  'Check “{1}”, {2} “{3}”{4}: {5}': 'Comprobación «{1}», {2} «{3}»{4}: {5}',
  step: 'paso',
  'cleanup step': 'paso de limpieza',
  ' through the proxy': ' a través del proxy',
  'Fix it in the repository, then deploy the fixed version':
    'Corríjalo en el repositorio y despliegue la versión corregida',
  'Add it to the tenant’s configuration, then deploy again':
    'Añádala a la configuración de la instancia y despliegue de nuevo',
  'The {1}’s page: {2}': 'Página ({1}): {2}',
  'The {1} was started': '{1}: se inició',
  'The log: {1}': 'El registro: {1}',
  'The database’s check: {1}': 'Comprobación de la base de datos: {1}',
  'Through the reverse proxy: {1}': 'A través del proxy inverso: {1}',
  'The last change: {1}': 'El último cambio: {1}',
  '{1} restarts of the {2} in a row': '{1} reinicios seguidos ({2})',
  '{1} of {2} tenants of {3} have this cause, {4} of {5} of other versions':
    'Instancias de {3} con esta causa: {1} de {2}; de otras versiones: {4} de {5}',
  'Unhealthy tenants of {1} whose cause is not known yet: {2}':
    'Instancias de {1} con fallos cuya causa aún no se conoce: {2}',
  '{1} of {2} tenants on the node {3} have this cause': 'Instancias en el nodo {3} con esta causa: {1} de {2}',
  'Unknown: {1}': 'Desconocido: {1}',
  'Deployment of {1}: {2}': 'Despliegue de {1}: {2}',
  'Upgrade to {1}: {2}': 'Actualización a {1}: {2}',
  'Move from {1} to {2}: {3}': 'Traslado de {1} a {2}: {3}',
  '{1} requested a deployment': '{1} pidió un despliegue',
  '{1} requested an upgrade to {2}': '{1} pidió la actualización a {2}',
  '{1} cancelled a deployment': '{1} canceló un despliegue',
  'Environment file of {1} regenerated by {2}': '{2} generó de nuevo el archivo de entorno de {1}',
  success: 'correcto',
  failed: 'falló',
  cancelled: 'cancelado',
  'Configuration of {1} changed by {2}': '{2} cambió la configuración de {1}',
  'Theme of {1} changed by {2}': '{2} cambió el tema de {1}',
  Application: 'Aplicación',
  'Audit log': 'Registro de auditoría',
  Certificate: 'Certificado',
  Deployments: 'Despliegues',
  Disk: 'Disco',
  'Health check': 'Comprobación de estado',
  'Health checks': 'Comprobaciones de estado',
  Ports: 'Puertos',
  Processes: 'Procesos',
  'Database server': 'Servidor de base de datos',
  'Reverse proxy': 'Proxy inverso',
  'Raise max_connections at the database server, or find the program that keeps its connections.':
    'Aumente max_connections en el servidor de la base de datos, o busque el programa que retiene las conexiones.',
  'Deploy the tenant again: that sets the account and its password again.':
    'Despliegue de nuevo la instancia: así se restablecen la cuenta y su contraseña.',
  'See the evidence for the database’s own words.': 'Vea en las pruebas lo que dice la base de datos.',
  'Check its network; deploying the same version again connects it.':
    'Compruebe su red; un nuevo despliegue de la misma versión la conecta.',
  'Its health page must answer as tenant.yaml and the contract say.':
    'Su página de estado debe responder como indican tenant.yaml y el contrato.',
  'It must listen on HOST and PORT; see the log for whether it still starts.':
    'Debe escuchar en HOST y PORT; consulte en el registro si todavía se está iniciando.',
  'Correct the path in tenant.yaml or the application, then deploy the fixed version.':
    'Corrija la ruta en tenant.yaml o la aplicación y despliegue la versión corregida.',
  'Restart the services, so that they get the key of the configuration.':
    'Reinicie los servicios para que reciban la clave de la configuración.',
  'Fix it in the repository, then deploy the fixed version.':
    'Corríjalo en el repositorio y despliegue la versión corregida.',
  'Get a certificate for the tenant’s host names: deploy it again.':
    'Obtenga un certificado para los nombres de host de la instancia: despliéguela de nuevo.',
  'Stop what uses the port, or give the tenant another port; then restart the services.':
    'Detenga lo que usa el puerto o asigne otro a la instancia, y reinicie los servicios.',
  'Raise the memory limit of services in the settings, then restart the services.':
    'Aumente el límite de memoria de los servicios en los ajustes y reinicie los servicios.',
  'The longest query has been running for {1} s, on {2} connections':
    'La consulta más larga dura ya {1} s; conexiones: {2}',
  'The database’s size: {1} MiB': 'Tamaño de la base de datos: {1} MiB',
  'The node {1} is down': 'El nodo {1} está caído',
  '{1} MiB are free at {2}': 'Quedan {1} MiB libres en {2}',
  'A program could not write: no space left': 'Un programa no pudo escribir: no queda espacio',
  'In progress: {1}': 'En curso: {1}',
  'Failed at: {1}': 'Falló en: {1}',
  'The services were stopped': 'Se detuvieron los servicios',
  'A step failed': 'Falló un paso',
  'It answers a request with the tenant’s key with 401 or 403':
    'Responde con 401 o 403 a una petición con la clave de la instancia',
  'Its file is missing': 'Falta su archivo',
  'Its file differs from the applied one': 'Su archivo difiere del aplicado',
  'The certificate is valid from {1}': 'El certificado es válido desde {1}',
  'The certificate was valid until {1}': 'El certificado fue válido hasta {1}',
  'The certificate is valid until {1}': 'El certificado es válido hasta {1}',
  'The certificate is not valid for {1}': 'El certificado no es válido para {1}',
  'The site has a certificate of its own': 'El sitio tiene su propio certificado',
  'The API and the site answer directly': 'La API y el sitio responden directamente',
  'The name servers know no address': 'Los servidores de nombres no conocen ninguna dirección',
  'It leads to {1}': 'Lleva a {1}',
  'There is nothing prepared of {1}': 'No hay nada preparado de {1}',
  'It is not there': 'No está',
  '{1} listens on port {2}': '{1} escucha en el puerto {2}',
  'Its limit is {1} MiB': 'Su límite es de {1} MiB',
  'The {1} ended': '{1}: terminó',
  'State of the {1}: {2}': 'Estado ({1}): {2}',
};
