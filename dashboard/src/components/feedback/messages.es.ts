export const esLeaveGuard = {
  title: '¿Salir sin guardar?',
  hint: 'Hay cambios sin guardar en esta página.',
  stay: 'Seguir editando',
  leave: 'Salir sin guardar',
};

export const esTypedGuard = {
  title: '¿Cerrar sin guardar?',
  hint: 'Lo que escribió aquí no se ha guardado.',
  stay: 'Seguir editando',
  leave: 'Cerrar sin guardar',
};
