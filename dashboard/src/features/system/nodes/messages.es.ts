import { format } from '../../../lib/language.ts';

export const es = {
  title: 'Nodos',
  hint: 'Los servidores que ejecutan las instancias. Una instancia pasa a otro nodo cuando el suyo se pierde o se vacía.',
  table: 'Nodos del swarm',
  columns: {
    name: 'Nodo',
    state: 'Estado',
    storage: 'Almacenamiento',
    engine: 'Motor',
    resources: 'Recursos',
    tenants: 'Instancias',
    actions: 'Acciones',
  },
  roles: { manager: 'nodo de control', worker: 'nodo de trabajo' },
  states: { ready: 'Listo', down: 'Caído', unknown: 'Desconocido' },
  paused: 'En pausa',
  draining: (left: number) =>
    format('Vaciándose, {left, plural, one {queda # instancia} other {quedan # instancias}}', { left }),
  drained: 'Vaciado',
  storage: { ok: 'Disponible', missing: 'Falta', unknown: 'Desconocido' },
  resources: (cpus: number, memory: string) =>
    format('{cpus, plural, one {# CPU} other {# CPU}}, {memory}', { cpus, memory }),
  reserved: (memory: string) => `${memory} reservados`,
  warnings: (node: string) => `Advertencias sobre ${node}`,
  noTenants: 'ninguna',
  emptyTitle: 'Un solo servidor',
  emptyHint: 'Este gestor ejecuta todas las instancias en un servidor. Con RUNTIME=swarm se ejecutan en varios nodos.',
  drain: 'Vaciar',
  drainTitle: (node: string) => `¿Vaciar ${node}?`,
  drainHint: (count: number) =>
    count === 0
      ? 'Allí no se ejecuta ninguna instancia. Las nuevas se inician en otros nodos hasta que este se active de nuevo.'
      : format(
          '{count, plural, one {# instancia pasa a otro nodo, con una breve interrupción:} other {# instancias pasan a otros nodos, cada una con una breve interrupción:}}',
          { count },
        ),
  room: (needed: string, free: string) =>
    `Los demás nodos tienen espacio: se necesitan ${needed} de memoria y hay ${free} sin reservar.`,
  noRoom: (needed: string, free: string) =>
    `Los demás nodos no tienen espacio suficiente: se necesitan ${needed} de memoria y hay ${free} sin reservar. Las instancias que no quepan se detienen hasta que haya sitio.`,
  lastHint: (count: number) =>
    format(
      'Ningún otro nodo puede ejecutar instancias. {count, plural, one {# instancia se detiene} other {# instancias se detienen}} hasta que vuelva a haber un nodo disponible:',
      { count },
    ),
  force: 'Vaciarlo de todos modos',
  activate: 'Activar',
  activateTitle: (node: string) => `¿Activar ${node}?`,
  activateHint: 'Allí se podrán volver a iniciar instancias. Las que se ejecutan en otro lugar se quedan donde están.',
  drainStarted: (node: string) => `${node} se está vaciando.`,
  activated: (node: string) => `${node} está activo.`,
};
