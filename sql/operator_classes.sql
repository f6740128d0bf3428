-- amvalidate checks an operator class against its access method's rules.
-- From 18 on it complains of the hash class (operator_classes_1.out): it wants functions of the very type, where
-- it took any that the type is binary-coercible to.  They are right all the same: an iuid is to uuid, as seen below.
SELECT amname, opcname, opcdefault, amvalidate(c.oid)
FROM pg_opclass c JOIN pg_am a ON a.oid = opcmethod
WHERE opcintype = 'iuid'::regtype OR opcname = 'uuid_origin_ops'
ORDER BY amname, opcname;

SELECT castmethod = 'b' AND castcontext = 'i' AS binary_coercible
FROM pg_cast WHERE castsource = 'iuid'::regtype AND casttarget = 'uuid'::regtype;
