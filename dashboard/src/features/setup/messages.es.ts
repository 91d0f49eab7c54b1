export const es = {
  title: 'Terminar la configuración',
  progress: (done: number, all: number) => `${done} de ${all} pasos completados`,
  show: (progress: string) => `Terminar la configuración: ${progress}`,
  dismiss: 'Ocultar esta lista',
  done: 'Hecho',
  open: 'Pendiente',
  steps: {
    own_password: {
      title: 'Elegir su propia contraseña',
      hint: 'La suya sigue siendo la que se asignó al crear la cuenta.',
      action: 'Cambiar contraseña',
    },
    host_checked: {
      title: 'Comprobar este servidor',
      hint: 'Prueba el motor, los registros, las redes y los discos, para que el primer despliegue funcione.',
      action: 'Abrir la comprobación',
    },
    second_admin: {
      title: 'Añadir otro administrador',
      hint: 'Si uno de los dos pierde la contraseña, el otro puede asignarle una nueva.',
      action: 'Abrir usuarios',
    },
    proxy_and_certificates: {
      title: 'Publicar los nombres de host con certificados',
      hint: 'Sin un proxy inverso, solo se accede a las instancias por sus puertos.',
      action: 'Abrir proxy inverso',
    },
    backup_schedule: {
      title: 'Programar copias de seguridad',
      hint: 'De las instancias sin un horario propio no se hacen copias.',
      action: 'Abrir ajustes',
    },
    offsite_copies: {
      title: 'Guardar copias externas',
      hint: 'Las copias de seguridad solo están en el servidor del gestor.',
      action: 'Abrir ajustes',
    },
    notification_channel: {
      title: 'Recibir un aviso cuando algo falle',
      hint: 'Ninguna regla envía alertas a un canal, como el correo electrónico o un chat.',
      action: 'Abrir notificaciones',
    },
    first_tenant: {
      title: 'Desplegar la primera instancia',
      hint: 'Asígnele un nombre y el repositorio de Git desde el que se desplegará.',
      action: 'Nueva instancia',
    },
  },
};
