import type { ApiTexts } from '../../lib/api-text.ts';
import { number } from '../../lib/figures.ts';
import { format, translated } from '../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  section: 'Configuration',
  hint: 'Settings passed to the application. Changes take effect at the next restart or deployment.',
  viewerHint: 'Settings passed to the application. An operator can change them.',
  groups: {
    names: 'Names',
    addresses: 'Addresses',
    model: 'Language model',
  },
  groupHints: {
    names: 'As shown to people. Names that you never changed follow the tenant’s name.',
    addresses: 'The application’s public addresses. Addresses that you never changed follow the tenant’s domains.',
    model: 'The model server for features that need one.',
  },
  fields: {
    app_name: { label: 'Application name', hint: 'Shown in the page header and in e-mails.' },
    app_name_short: { label: 'Short name', hint: 'Used where space is limited. At most 40 characters.' },
    project_name: { label: 'Project name', hint: 'For the application’s own records.' },
    admin_email: { label: 'Administrator’s e-mail', hint: 'The application’s first user and contact address.' },
    frontend_url: { label: 'Site', hint: 'Starts with https:// or http://' },
    backend_api_url: { label: 'API', hint: 'Starts with https:// or http://' },
    ws_base_url: { label: 'WebSocket', hint: 'Starts with wss:// or ws://' },
    local_llm_model: { label: 'Language model', hint: 'Its name on the model server.' },
    local_embed_model: { label: 'Embedding model', hint: 'Its name on the model server.' },
    local_base_url: { label: 'Model server', hint: 'Starts with https:// or http://' },
  },
  history: {
    title: 'History',
    hint: 'The last 100 changes. Any of them can be restored.',
    revision: (revision: number) => `Revision ${revision}`,
    changes: (count: number) =>
      format('{count, plural, =0 {first known state} one {# change} other {# changes}}', { count }),
    unknown: 'before the history began',
    current: 'Current',
    revert: 'Restore…',
    revertTo: (revision: number) => `Restore… revision ${revision}`,
    more: 'Show more',
    ask: (revision: number) => `Restore revision ${revision}?`,
    askHint:
      'All settings and variables get the values that they had then, as a new revision. The services get them at their next restart or deployment.',
    submit: 'Restore',
    done: (revision: number) => `Revision ${revision} was restored.`,
  },
  env: {
    title: 'Environment variables',
    hint: 'Variables that your application reads, such as a mail server. All values are encrypted. Values whose names contain key, token or password are hidden once saved.',
    empty: 'No variables yet. Add one, or paste a .env file.',
    name: 'Name',
    value: 'Value',
    nameOf: (position: number) => `Name of variable ${position}`,
    valueOf: (name: string) => `Value of ${name || 'the new variable'}`,
    add: 'Add variable',
    paste: 'Paste a .env file',
    remove: (name: string) => `Remove ${name || 'the new variable'}`,
    hidden: 'Hidden',
    blank: 'empty',
    replace: 'Replace',
    replaceOf: (name: string) => `Replace the value of ${name}`,
    keep: 'Keep old value',
    keepOf: (name: string) => `Keep the old value of ${name}`,
    twice: 'This name is already used above.',
    noName: 'Enter a name.',
    dropRefused: (count: number) =>
      format('{count, plural, one {Remove the rejected variable} other {Remove the # rejected variables}}', { count }),
  },
  pasteDialog: {
    title: 'Paste a .env file',
    hint: 'One NAME=value per line. Nothing is saved until you review the changes.',
    label: 'File content',
    found: (added: number, changed: number, same: number) =>
      `${number(added)} new, ${number(changed)} changed, ${number(same)} unchanged.`,
    skipped: (lines: readonly number[]) =>
      format('{count, plural, one {Line} other {Lines}} {shown} can’t be read and will be skipped.', {
        count: lines.length,
        shown: `${lines.slice(0, 8).join(', ')}${lines.length > 8 ? ' …' : ''}`,
      }),
    replace: 'Remove variables that are not in the file',
    submit: 'Apply',
    nothing: 'No variables found yet.',
  },
  changes: (count: number) => format('{count, plural, one {# unsaved change} other {# unsaved changes}}', { count }),
  conflict: {
    title: 'Someone else changed this configuration while you were editing',
    hint: (names: readonly string[]) =>
      names.length > 0
        ? `Changed: ${names.join(', ')}. If you keep your changes, review them against the new values.`
        : 'If you keep your changes, review them against the new values.',
    keep: 'Keep my changes',
  },
  discard: 'Discard',
  review: 'Review and save',
  wrong: 'Some entries can’t be saved. See the errors next to them.',
  noChange: 'No changes to save.',
  dialog: {
    title: 'Save these changes?',
    hint: 'Secrets are not shown.',
    changes: 'Changes',
    before: 'Before',
    after: 'After',
    none: 'none',
    hidden: 'hidden',
    changedHidden: 'new value, hidden',
    sameStart: 'The values differ after this part.',
    restart: 'Restart the services now',
    restartHint:
      'Visitors may wait a few seconds. Otherwise the changes take effect at the next restart or deployment.',
    submit: 'Save',
    submitAndRestart: 'Save and restart',
  },
  saved: 'Configuration saved.',
  pending: {
    title: 'Restart required to apply saved changes',
    hint: 'The services still use the previous configuration.',
    viewerHint: 'The services still use the previous configuration. An operator can restart them.',
    restart: 'Restart now',
    restarting: 'Restarting…',
  },
  file: {
    title: 'Environment file',
    hint: 'The configuration is also written to a file in the tenant’s directory at each deployment, and at each restart after a change. Regenerate the file if someone changed or deleted it. The services are not touched, and the previous file is kept.',
    submit: 'Regenerate file',
    path: 'File',
    backup: 'Previous file',
    noBackup: 'none',
    written: {} as ApiTexts,
  },
};

export const configurationText = translated({ en, es });
