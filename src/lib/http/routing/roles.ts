/** What a caller may do. */
export type Permission =
  /** Read what every user may see. */
  | 'view'
  /** Change tenants, and see what that requires: paths on the server, personal data in lists. */
  | 'operate'
  /** Read the details of the audit log, personal data included. */
  | 'audit'
  /** Manage users and settings, and delete what can't be restored. */
  | 'administer';

/** The roles and what each may do. A new role is a row here and a label in the dashboard. */
export const permissionsOf = {
  viewer: ['view'],
  operator: ['view', 'operate'],
  admin: ['view', 'operate', 'audit', 'administer'],
} as const satisfies Record<string, readonly Permission[]>;

export type Role = keyof typeof permissionsOf;

export const roles = Object.keys(permissionsOf) as [Role, ...Role[]];

export const may = (role: Role, permission: Permission): boolean =>
  (permissionsOf[role] as readonly Permission[]).includes(permission);

export const rolesWith = (permission: Permission): Role[] => roles.filter((role) => may(role, permission));

/** Whether a role may do everything that another one may. */
export const includesRole = (role: Role, other: Role): boolean =>
  permissionsOf[other].every((permission) => may(role, permission));

/** The role with the most permissions that two roles share: a token never has more than its owner. */
export function commonRole(one: Role, other: Role): Role {
  const shared = roles.filter((role) => includesRole(one, role) && includesRole(other, role));
  return shared.reduce(
    (most, role) => (permissionsOf[role].length > permissionsOf[most].length ? role : most),
    'viewer',
  );
}
