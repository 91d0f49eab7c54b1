import { texts } from './texts.es.ts';

export const es = {
  label: 'Diagnóstico',
  evidence: { certain: 'Pruebas', likely: 'Pruebas (causa probable)' },
  fix: 'Qué hacer',
  actions: {
    start: 'Iniciar',
    restart: 'Reiniciar…',
    redeploy: 'Desplegar…',
    rollback: 'Desplegar otra versión…',
    repair_site: 'Reparar el sitio…',
  },
  toPage: 'Abrir la página',
  scopes: {
    version: (name: string) => `Todas las instancias de ${name} tienen un problema así.`,
  },
  texts,
};
