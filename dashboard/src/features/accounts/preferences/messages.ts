import { translated } from '../../../lib/language.ts';

export const preferencesText = translated({
  en: {
    title: 'Language and time zone',
    hint: 'They belong to your account, and hold in each of your browsers.',
    language: 'Language',
    timeZone: 'Time zone',
    timeZoneHint: 'All times are shown in this zone.',
    browser: (value: string) => `As in this browser (${value})`,
    save: 'Save',
    saved: 'Saved.',
  },
  es: {
    title: 'Idioma y zona horaria',
    hint: 'Se guardan en su cuenta y se aplican en todos sus navegadores.',
    language: 'Idioma',
    timeZone: 'Zona horaria',
    timeZoneHint: 'Todas las horas se muestran en esta zona.',
    browser: (value: string) => `La de este navegador (${value})`,
    save: 'Guardar',
    saved: 'Guardado.',
  },
});
