/** A campaign's website, to be analysed for colours and logos; it names an icon at `/icon.png`. */
export const campaignWebsite = `<html><head><title>Okonkwo for Senate: schools, water and work for the whole valley</title>
<link rel="icon" sizes="64x64" href="/icon.png"><style>
body{margin:0;font:18px/1.6 Georgia,serif;color:#22252b}
header{background:#15295b;color:#fff;display:flex;gap:24px;align-items:center;padding:20px 40px}
header a{color:#fff}.donate{background:#d7263d;color:#fff;padding:10px 20px;border-radius:4px}
h1{color:#15295b;font-size:44px}main{padding:40px;max-width:820px}</style></head>
<body><header><a class="logo" href="/"><svg width="150" height="40" viewBox="0 0 150 40" onload="alert(1)"><rect width="150" height="40" rx="6" fill="#D7263D"/><path d="M14 28V12h10v16zM34 28V12h10v16zM54 28V12h10v16z" fill="#fff"/></svg></a>
<a href="#">Meet Ada</a><a href="#">Issues</a><a class="donate" href="#">Donate</a></header>
<main><h1>Schools, water and work</h1><p>A senator for the whole valley.</p><button class="donate">Join us</button></main></body></html>`;
