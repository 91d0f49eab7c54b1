import { contactsUpgrades } from '../../api/upgrades/upgrades-contacts.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';

describeWithEngine('upgrades of the sample application, Docker and MariaDB', () => {
  contactsUpgrades({ RUNTIME: 'docker' });
});
