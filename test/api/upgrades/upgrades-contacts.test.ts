import { describe } from '@jest/globals';
import { contactsUpgrades } from './upgrades-contacts.ts';

describe('upgrades of the sample application, local processes and SQLite', () => {
  contactsUpgrades({ RUNTIME: 'process' });
});
