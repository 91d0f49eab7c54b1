/** The states, the District of Columbia, territories and the armed forces' post: code, name, older abbreviations. Source: USPS Publication 28, Appendix B. */
export const states = `
AL Alabama|Ala
AK Alaska|Alas
AZ Arizona|Ariz
AR Arkansas|Ark
CA California|Calif|Cal
CO Colorado|Colo
CT Connecticut|Conn
DE Delaware|Del
DC District of Columbia|Washington DC|Wash DC|D C
FL Florida|Fla
GA Georgia
HI Hawaii
ID Idaho|Ida
IL Illinois|Ill|Ills
IN Indiana|Ind
IA Iowa
KS Kansas|Kans|Kan
KY Kentucky|Ken
LA Louisiana
ME Maine
MD Maryland
MA Massachusetts|Mass
MI Michigan|Mich
MN Minnesota|Minn
MS Mississippi|Miss
MO Missouri
MT Montana|Mont
NE Nebraska|Nebr|Neb
NV Nevada|Nev
NH New Hampshire|N H
NJ New Jersey|N J
NM New Mexico|N M|N Mex
NY New York|N Y
NC North Carolina|N C|N Carolina
ND North Dakota|N D|N Dak|N Dakota
OH Ohio
OK Oklahoma|Okla
OR Oregon|Ore|Oreg
PA Pennsylvania|Penn|Penna
RI Rhode Island|R I
SC South Carolina|S C|S Carolina
SD South Dakota|S D|S Dak|S Dakota
TN Tennessee|Tenn
TX Texas|Tex
UT Utah
VT Vermont
VA Virginia|Virg
WA Washington|Wash|Washington State
WV West Virginia|W V|W Va|W Virginia
WI Wisconsin|Wis|Wisc
WY Wyoming|Wyo
PR Puerto Rico|P R
GU Guam
VI Virgin Islands|US Virgin Islands|U S Virgin Islands|USVI
AS American Samoa
MP Northern Mariana Islands|Northern Marianas|CNMI
FM Federated States of Micronesia|Micronesia
MH Marshall Islands
PW Palau
AA Armed Forces Americas
AE Armed Forces Europe
AP Armed Forces Pacific
`;

/** The provinces and territories of Canada. Source: Canada Post, Addressing Guidelines. */
export const provinces = `
AB Alberta|Alta
BC British Columbia|B C
MB Manitoba|Man
NB New Brunswick|N B
NL Newfoundland and Labrador|Newfoundland|Labrador|Nfld
NS Nova Scotia|N S
NT Northwest Territories
NU Nunavut
ON Ontario|Ont
PE Prince Edward Island|PEI
QC Quebec|Québec|PQ|Que
SK Saskatchewan|Sask
YT Yukon|Yukon Territory
`;
