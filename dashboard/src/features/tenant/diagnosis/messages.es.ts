import { checks } from './check-texts.es.ts';
import { texts } from './texts.es.ts';

export const es = {
  label: 'Diagnóstico',
  evidence: { certain: 'Pruebas', likely: 'Pruebas (causa probable)', unknown: 'Lo que se encontró' },
  unknown: {
    title: 'No se conoce la causa',
    remedy: 'Busque errores en el registro y cambios en la hora anterior.',
  },
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
  checkParts: {
    '{1}; {2}': '{1}; {2}',
    'frontend: {1}': 'Sitio: {1}',
    'backend: {1}': 'API: {1}',
    'database: {1}': 'Base de datos: {1}',
    'services: {1}': 'Servicios: {1}',
    'proxy: {1}': 'Proxy inverso: {1}',
    'synthetic: {1}': 'Pasos de un usuario: {1}',
    'certificate: {1}': 'Certificado: {1}',
    '/{1}: {2}': '/{1}: {2}',
    'no answer within {1}000 ms': 'sin respuesta en {1} s',
  },
  checks,
  texts,
};
