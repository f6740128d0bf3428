--
-- The countries of ISO 3166-1, for organisations without numbers of their own
--
-- The number of a country is the position of its line in this list, counted from 1.  When the list
-- was made, it was in the order of the codes.  The numbers are in identifiers, so they must not
-- change: a line stays whatever becomes of its code, and a new line goes to the end.
--
-- The bodies are parsed here, and so mean the same objects whatever the search_path is.  The list has
-- no accents, as an encoding may lack the letters.  In UTF8 these letters are put in, each by its
-- place in the name and its code point.

CREATE FUNCTION @extschema@.iuid_iso_countries()
RETURNS TABLE (country int, code pg_catalog.text, name pg_catalog.text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 249
BEGIN ATOMIC
	SELECT iso.country::pg_catalog.int4, iso.code,
		coalesce(pg_catalog."overlay"(iso.name, pg_catalog.chr(accent.letter), accent.place, 1), iso.name)
	FROM (SELECT line.number, pg_catalog."left"(line.line, 2), pg_catalog.substr(line.line, 4) FROM pg_catalog.string_to_table(
'AD Andorra
AE United Arab Emirates
AF Afghanistan
AG Antigua and Barbuda
AI Anguilla
AL Albania
AM Armenia
AO Angola
AQ Antarctica
AR Argentina
AS American Samoa
AT Austria
AU Australia
AW Aruba
AX Aland Islands
AZ Azerbaijan
BA Bosnia and Herzegovina
BB Barbados
BD Bangladesh
BE Belgium
BF Burkina Faso
BG Bulgaria
BH Bahrain
BI Burundi
BJ Benin
BL Saint Barthelemy
BM Bermuda
BN Brunei Darussalam
BO Bolivia, Plurinational State of
BQ Bonaire, Sint Eustatius and Saba
BR Brazil
BS Bahamas
BT Bhutan
BV Bouvet Island
BW Botswana
BY Belarus
BZ Belize
CA Canada
CC Cocos (Keeling) Islands
CD Congo, The Democratic Republic of the
CF Central African Republic
CG Congo
CH Switzerland
CI Cote d''Ivoire
CK Cook Islands
CL Chile
CM Cameroon
CN China
CO Colombia
CR Costa Rica
CU Cuba
CV Cabo Verde
CW Curacao
CX Christmas Island
CY Cyprus
CZ Czechia
DE Germany
DJ Djibouti
DK Denmark
DM Dominica
DO Dominican Republic
DZ Algeria
EC Ecuador
EE Estonia
EG Egypt
EH Western Sahara
ER Eritrea
ES Spain
ET Ethiopia
FI Finland
FJ Fiji
FK Falkland Islands (Malvinas)
FM Micronesia, Federated States of
FO Faroe Islands
FR France
GA Gabon
GB United Kingdom
GD Grenada
GE Georgia
GF French Guiana
GG Guernsey
GH Ghana
GI Gibraltar
GL Greenland
GM Gambia
GN Guinea
GP Guadeloupe
GQ Equatorial Guinea
GR Greece
GS South Georgia and the South Sandwich Islands
GT Guatemala
GU Guam
GW Guinea-Bissau
GY Guyana
HK Hong Kong
HM Heard Island and McDonald Islands
HN Honduras
HR Croatia
HT Haiti
HU Hungary
ID Indonesia
IE Ireland
IL Israel
IM Isle of Man
IN India
IO British Indian Ocean Territory
IQ Iraq
IR Iran, Islamic Republic of
IS Iceland
IT Italy
JE Jersey
JM Jamaica
JO Jordan
JP Japan
KE Kenya
KG Kyrgyzstan
KH Cambodia
KI Kiribati
KM Comoros
KN Saint Kitts and Nevis
KP Korea, Democratic People''s Republic of
KR Korea, Republic of
KW Kuwait
KY Cayman Islands
KZ Kazakhstan
LA Lao People''s Democratic Republic
LB Lebanon
LC Saint Lucia
LI Liechtenstein
LK Sri Lanka
LR Liberia
LS Lesotho
LT Lithuania
LU Luxembourg
LV Latvia
LY Libya
MA Morocco
MC Monaco
MD Moldova, Republic of
ME Montenegro
MF Saint Martin (French part)
MG Madagascar
MH Marshall Islands
MK North Macedonia
ML Mali
MM Myanmar
MN Mongolia
MO Macao
MP Northern Mariana Islands
MQ Martinique
MR Mauritania
MS Montserrat
MT Malta
MU Mauritius
MV Maldives
MW Malawi
MX Mexico
MY Malaysia
MZ Mozambique
NA Namibia
NC New Caledonia
NE Niger
NF Norfolk Island
NG Nigeria
NI Nicaragua
NL Netherlands
NO Norway
NP Nepal
NR Nauru
NU Niue
NZ New Zealand
OM Oman
PA Panama
PE Peru
PF French Polynesia
PG Papua New Guinea
PH Philippines
PK Pakistan
PL Poland
PM Saint Pierre and Miquelon
PN Pitcairn
PR Puerto Rico
PS Palestine, State of
PT Portugal
PW Palau
PY Paraguay
QA Qatar
RE Reunion
RO Romania
RS Serbia
RU Russian Federation
RW Rwanda
SA Saudi Arabia
SB Solomon Islands
SC Seychelles
SD Sudan
SE Sweden
SG Singapore
SH Saint Helena, Ascension and Tristan da Cunha
SI Slovenia
SJ Svalbard and Jan Mayen
SK Slovakia
SL Sierra Leone
SM San Marino
SN Senegal
SO Somalia
SR Suriname
SS South Sudan
ST Sao Tome and Principe
SV El Salvador
SX Sint Maarten (Dutch part)
SY Syrian Arab Republic
SZ Eswatini
TC Turks and Caicos Islands
TD Chad
TF French Southern Territories
TG Togo
TH Thailand
TJ Tajikistan
TK Tokelau
TL Timor-Leste
TM Turkmenistan
TN Tunisia
TO Tonga
TR Turkiye
TT Trinidad and Tobago
TV Tuvalu
TW Taiwan, Province of China
TZ Tanzania, United Republic of
UA Ukraine
UG Uganda
UM United States Minor Outlying Islands
US United States
UY Uruguay
UZ Uzbekistan
VA Holy See (Vatican City State)
VC Saint Vincent and the Grenadines
VE Venezuela, Bolivarian Republic of
VG Virgin Islands, British
VI Virgin Islands, U.S.
VN Viet Nam
VU Vanuatu
WF Wallis and Futuna
WS Samoa
YE Yemen
YT Mayotte
ZA South Africa
ZM Zambia
ZW Zimbabwe', pg_catalog.chr(10)) WITH ORDINALITY AS line (line, number)) AS iso (country, code, name)
	LEFT JOIN (VALUES ('AX', 1, 197), ('BL', 12, 233), ('CI', 2, 244), ('CW', 5, 231), ('RE', 2, 233), ('TR', 2, 252)) AS accent (code, place, letter)
		ON accent.code OPERATOR(pg_catalog.=) iso.code AND pg_catalog.getdatabaseencoding() OPERATOR(pg_catalog.=) 'UTF8'
	ORDER BY iso.country;
END;
COMMENT ON FUNCTION @extschema@.iuid_iso_countries() IS
'countries of ISO 3166-1: the numbers 1-249 that iuid_register_iso_countries() gives them, alpha-2 codes, and English short names, with accents only in a database in UTF8 (doc/registry.md)';

-- A number or a code of another country violates a unique constraint.
CREATE FUNCTION @extschema@.iuid_register_iso_countries()
RETURNS int
LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
	WITH added AS (
		INSERT INTO @extschema@.iuid_countries (country, code, name)
		SELECT iso.country, iso.code, iso.name FROM @extschema@.iuid_iso_countries() AS iso
		WHERE NOT EXISTS (SELECT FROM @extschema@.iuid_countries AS own
			WHERE own.country OPERATOR(pg_catalog.=) iso.country AND own.code OPERATOR(pg_catalog.=) iso.code)
		RETURNING country)
	SELECT pg_catalog.count(*)::pg_catalog.int4 FROM added;
END;
COMMENT ON FUNCTION @extschema@.iuid_register_iso_countries() IS
'registers the countries of iuid_iso_countries() that are missing, and returns their number; a registered country keeps its name (doc/registry.md)';
