/** Why no certificate could be obtained, for `apiText`. What an authority or the operating system says stays as it is. */
export const certificateProblems = {
  'Certificate authority {1}: {2}': 'Autoridad de certificación {1}: {2}',
  'answered with HTTP status {1}': 'respondió con el código HTTP {1}',
  'not done within {1} s; last was: {2}': 'sin terminar en {1} s; lo último fue: {2}',
  'the saved key of the ACME account cannot be read: {1}': 'no se puede leer la clave guardada de la cuenta ACME: {1}',
  'no names were given': 'no se indicó ningún nombre',
  '{1} is no host name': '{1} no es un nombre de host',
  'the answer to the challenge could not be stored: {1}': 'no se pudo guardar la respuesta al desafío: {1}',
  'it expired at {1}': 'caducó el {1}',
  'it is valid only from {1} on; it is {2} here': 'solo es válido a partir del {1}; aquí es {2}',
  'it is not for {1} but for {2}': 'no es para {1}, sino para {2}',
  'no PEM certificate in it': 'no contiene ningún certificado PEM',
  'no PEM private key': 'no hay clave privada PEM',
  'the private key is not that of the certificate': 'la clave privada no es la del certificado',
  'the private key is protected by a passphrase; provide it without one':
    'la clave privada está protegida con contraseña; proporciónela sin ella',
  'the private key cannot be read: {1}': 'no se puede leer la clave privada: {1}',
  'the private key is larger than {1} KiB': 'la clave privada ocupa más de {1} KiB',
  'larger than {1} KiB': 'ocupa más de {1} KiB',
  'more than {1} certificates in it': 'contiene más de {1} certificados',
  '{1} cannot be read: {2}': 'no se puede leer {1}: {2}',
  '{1} is not signed by {2}: the leaf comes first, then each its issuer':
    '{1} no está firmado por {2}: primero va el del sitio y después cada emisor',
  '{1} has a DSA key, which no browser takes': '{1} tiene una clave DSA, que ningún navegador acepta',
  '{1} has an RSA key of {2} bits; at least {3} are needed':
    '{1} tiene una clave RSA de {2} bits; se necesitan al menos {3}',
  '{1} is signed with {2}, which no browser takes': '{1} está firmado con {2}, que ningún navegador acepta',
  '{1} is no file': '{1} no es un archivo',
  '{1} is larger than {2} KiB': '{1} ocupa más de {2} KiB',
  'it is missing, or links to nothing': 'falta, o es un enlace a un archivo que no existe',
  'the directory of certificates {1} does not exist': 'el directorio de certificados {1} no existe',
  'no certificate for {1}: none of {2} exists (each with its key), and no other one covers it':
    'no hay certificado para {1}: no existe ninguno de {2} (cada uno con su clave), y ningún otro lo incluye',
  '{1} (with {2}): {3}': '{1} (con {2}): {3}',
  '{1}: {2}': '{1}: {2}',
};
