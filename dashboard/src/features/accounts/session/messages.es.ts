export const es = {
  signIn: {
    title: 'Iniciar sesión',
    username: 'Nombre de usuario',
    password: 'Contraseña',
    submit: 'Iniciar sesión',
    expired: 'Su sesión ha terminado. Inicie sesión de nuevo para continuar donde estaba.',
    storeFull:
      'El disco de la base de datos del gestor está lleno. Libere espacio en su servidor: hasta entonces pueden fallar el inicio de sesión y los cambios.',
    hint: 'La contraseña del primer administrador está en el archivo initial-admin-password del directorio de datos del gestor hasta que se cambie.',
  },
  password: {
    title: 'Elegir una contraseña',
    forced: 'Esta contraseña se la asignó otra persona. Elija una propia antes de continuar.',
    current: 'Contraseña actual',
    next: 'Contraseña nueva',
    nextHint: 'Al menos 12 caracteres. Varias palabras sin relación entre sí son fáciles de recordar.',
    repeat: 'Confirmar la contraseña nueva',
    differs: 'Las contraseñas nuevas no coinciden',
    keepTokens: 'Conservar mis tokens de la API',
    keepTokensHint: 'De lo contrario, se revocan junto con todas sus sesiones.',
    submit: 'Cambiar contraseña',
    done: 'Contraseña cambiada.',
  },
  needsRole: (role: string) => `Esta página requiere el rol ${role}`,
};

export const esReauthentication = {
  title: 'Iniciar sesión de nuevo',
  notice: 'Su sesión ha terminado. Esta página y sus cambios sin guardar se conservan. Inicie sesión para continuar.',
  submit: 'Iniciar sesión y continuar',
  other: 'Iniciar sesión con otra cuenta',
  otherHint: 'Se empieza desde el principio: los cambios sin guardar de esta página se pierden.',
};
