/** A tenant as a runtime knows it. */
export interface TenantSpace {
  id: string;
  slug: string;
  /** The tenant's own directory on the manager's disk (absolute): environment files, SQLite database, logs of local processes. */
  directory: string;
}
