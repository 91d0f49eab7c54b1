import { contactsUpgrades } from '../api/upgrades-contacts.ts';
import { describeWithEngine } from '../harness/engine.ts';

describeWithEngine('upgrades of the sample application, Docker and MariaDB', () => {
  contactsUpgrades({ RUNTIME: 'docker' });
});
