/** The abort reason of a user's cancel. */
export class CancelRequested extends Error {
  constructor() {
    super('Cancelled');
    this.name = 'CancelRequested';
  }
}

/** The abort reason when the manager stops: the operation is left as it is and resumed later. */
export class ManagerStopping extends Error {
  constructor() {
    super('The manager is stopping');
    this.name = 'ManagerStopping';
  }
}
