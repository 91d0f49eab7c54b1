export const systemPageText = {
  sections: 'Sections of the system',
  settings: 'Settings',
  users: 'Users',
};
